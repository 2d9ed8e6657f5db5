//! What a matrix needs besides room: the tools of its targets, and the ports that they must have.

use super::{Verdict, advice, blurs, fine, spoils};
use crate::record::machine::{Examined, FixedPort, Tool};
use crate::units::count_of;

/// Of the labels that need a tool so many are named.
const NAMED: usize = 3;

pub(super) fn tools(examined: &Examined) -> Vec<Verdict> {
    let Some(demand) = &examined.demand else { return Vec::new() };
    let (there, missing): (Vec<&Tool>, Vec<&Tool>) =
        demand.tools.iter().partition(|tool| tool.found.is_ok());
    let mut versions: Vec<String> = there
        .iter()
        .filter_map(|tool| Some(format!("{} {}", tool.tool, tool.found.as_ref().ok()?)))
        .collect();
    // One tool may be needed in several versions at least, and found in one.
    versions.sort_unstable();
    versions.dedup();
    let mut verdicts = if versions.is_empty() && !missing.is_empty() {
        Vec::new()
    } else if versions.is_empty() {
        fine("none is needed")
    } else {
        fine(versions.join(", "))
    };
    for tool in missing {
        let what = tool.found.as_ref().err().map_or("", |what| what);
        let found = format!("{what}; needed by {}", some(&tool.needed_by));
        let hint = tool.hint.clone();
        let hint =
            hint.unwrap_or_else(|| "no way is known to get it; see its makers' page".to_owned());
        verdicts.extend(spoils(found, advice(hint)));
    }
    verdicts
}

/// The first few of some labels.
fn some(labels: &[String]) -> String {
    let named = labels.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match labels.len() {
        0..=NAMED => named,
        more => format!("{named} and {} more", more - NAMED),
    }
}

pub(super) fn ports(examined: &Examined) -> Vec<Verdict> {
    let Some(demand) = &examined.demand else { return Vec::new() };
    if demand.ports.is_empty() {
        return fine("none is fixed");
    }
    let (first, last) = examined.machine.local_ports.clone().unwrap_or((u64::MAX, 0));
    let one = |fixed: &FixedPort| {
        let FixedPort { whose, port, holder } = fixed;
        if let Some(holder) = holder {
            let found = format!("port {port} of {whose} is in use by {holder}");
            return spoils(found, advice("end it, or give the target another port"));
        }
        if (first..=last).contains(&u64::from(*port)) {
            let found = format!(
                "port {port} of {whose} is one of the local ports ({first} to {last}) that any connection may be given"
            );
            return blurs(found, advice("give the target a port below them"));
        }
        Vec::new()
    };
    let verdicts: Vec<Verdict> = demand.ports.iter().flat_map(one).collect();
    if verdicts.is_empty() {
        fine(format!("{} and free", count_of(demand.ports.len(), "port")))
    } else {
        verdicts
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{all_found, found, sound};
    use super::*;
    use crate::record::diagnosis::Severity::{Blurs, Spoils};
    use crate::record::machine::Demand;

    fn asked(demand: Demand) -> Examined {
        Examined { demand: Some(demand), ..sound() }
    }

    #[test]
    fn a_tool_that_is_missing_or_too_old_spoils_with_how_to_get_it() {
        let tool = |name: &str, found: Result<&str, &str>, labels: usize| Tool {
            tool: name.to_owned(),
            found: found.map(str::to_owned).map_err(str::to_owned),
            hint: found.is_err().then(|| "`orchestrate provision` gets it from Debian".to_owned()),
            needed_by: (1..=labels).map(|number| format!("{name}/{number}")).collect(),
        };
        let tools = vec![
            tool("node", Err("node 12 found, 18 needed"), 5),
            tool("go", Ok("1.26.8"), 1),
            tool("cc", Ok("12.2"), 1),
            tool("go", Ok("1.26.8"), 1),
        ];
        let verdicts = super::tools(&asked(Demand { tools, ..Demand::default() }));
        assert_eq!(verdicts[0], Verdict::Fine("cc 12.2, go 1.26.8".to_owned()));
        let (severity, words) = found(&verdicts).expect("found");
        assert_eq!(severity, Spoils);
        assert_eq!(words, "node 12 found, 18 needed; needed by node/1, node/2, node/3 and 2 more");
        assert!(format!("{verdicts:?}").contains("orchestrate provision"));
        assert_eq!(all_found(&super::tools(&asked(Demand::default()))), []);
        assert_eq!(super::tools(&sound()).len(), 1);
    }

    #[test]
    fn a_fixed_port_spoils_where_somebody_has_it_and_blurs_among_those_of_clients() {
        let fixed = |port: u16, holder: Option<&str>| FixedPort {
            whose: "a".to_owned(),
            port,
            holder: holder.map(str::to_owned),
        };
        let check = |ports: Vec<FixedPort>| {
            all_found(&super::ports(&asked(Demand { ports, ..Demand::default() })))
        };
        assert_eq!(check(vec![]), []);
        assert_eq!(check(vec![fixed(8080, None), fixed(32_767, None)]), []);
        let found = check(vec![
            fixed(8080, Some("pid 7 (`nginx`)")),
            fixed(32_768, None),
            fixed(9000, None),
        ]);
        let severities: Vec<_> = found.iter().map(|found| found.0).collect();
        assert_eq!(severities, [Spoils, Blurs]);
        assert!(found[0].1.contains("port 8080 of a is in use by pid 7 (`nginx`)"), "{found:?}");
    }
}
