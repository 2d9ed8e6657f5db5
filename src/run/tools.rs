//! Tools that changed while a run went on: their versions, asked once more at its end.

use std::collections::BTreeMap;

use super::Order;
use crate::matrix::toolchain::Need;
use crate::prepare::Prepared;
use crate::target::versions::tool_versions;

/// A sentence for each tool that is another one now than when targets were built.
pub(super) fn changed(order: &Order<'_>, prepared: &[Prepared]) -> Vec<String> {
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    for ready in prepared.iter().filter_map(ready) {
        before.extend(ready.iter().map(|(tool, version)| (tool.as_str(), version.as_str())));
    }
    let needs: Vec<Need> =
        before.keys().map(|tool| Need { tool: (*tool).to_owned(), at_least: None }).collect();
    let ask = |need: &Need| {
        let one = std::slice::from_ref(need);
        let flag = order.interrupt.flag();
        tool_versions(one, &order.matrix.toolchains, order.path, flag)
    };
    let mut changed = Vec::new();
    for need in &needs {
        let now = ask(need);
        // Whoever asks for an end does not wait for tools, and what was not asked has not changed.
        if order.interrupt.is_set() {
            break;
        }
        let now = now.ok().and_then(|mut versions| versions.remove(&need.tool));
        let then = before[need.tool.as_str()];
        if now.as_deref() != Some(then) {
            let is = now.map_or("is there no more".to_owned(), |now| format!("is {now}"));
            changed.push(format!(
                "`{}` was {then} when targets were built, and {is} at the end: what it did not compile may have been measured with either",
                need.tool
            ));
        }
    }
    changed
}

fn ready(prepared: &Prepared) -> Option<&BTreeMap<String, String>> {
    match prepared {
        Prepared::Ready(ready) => Some(&ready.versions),
        Prepared::Out(_) => None,
    }
}
