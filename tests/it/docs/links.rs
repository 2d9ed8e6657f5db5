//! Every link within the project leads to something that is there.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::{Page, pages, root};

/// A path without `.` and `..`, of which the file system was not asked.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// What is wrong with the links of these pages.
fn faults(pages: &[Page]) -> Vec<String> {
    let anchors: BTreeMap<&Path, &[String]> =
        pages.iter().map(|page| (page.path.as_path(), page.anchors.as_slice())).collect();
    let mut faults = Vec::new();
    for page in pages {
        for (line, link) in page.links.iter().filter(|(_, link)| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let folder = page.path.parent().expect("a folder");
            let target =
                if path.is_empty() { page.path.clone() } else { plain(&folder.join(path)) };
            let fault = if !target.starts_with(root()) {
                Some("it leads out of the project")
            } else if !target.exists() {
                Some("nothing is there")
            } else if anchor.is_empty() {
                None
            } else {
                match anchors.get(target.as_path()) {
                    None => Some("it points into something that is no page"),
                    Some(names) if names.iter().any(|name| name == anchor) => None,
                    Some(_) => Some("the page has no such heading"),
                }
            };
            let told = fault.map(|fault| format!("{}: `{link}`: {fault}", page.place(*line)));
            faults.extend(told);
        }
    }
    faults
}

#[test]
fn every_link_leads_to_something_that_is_there() {
    let pages = pages();
    let links = pages.iter().map(|page| page.links.len()).sum::<usize>();
    assert!(links > 100, "{links} links");
    let faults = faults(&pages);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_page_is_in_the_list_of_pages() {
    let pages = pages();
    let list = pages.iter().find(|page| page.path.ends_with("docs/README.md")).expect("a list");
    let folder = list.path.parent().expect("a folder");
    let listed: Vec<PathBuf> =
        list.links.iter().map(|(_, link)| plain(&folder.join(link))).collect();
    for page in pages.iter().filter(|page| page.path != list.path) {
        assert!(listed.contains(&page.path), "{} is not in docs/README.md", page.place(1));
    }
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let page = |name: &str, text: &str| Page::parse(root().join("docs").join(name), text);
    let links =
        "[a](method.md) [b](#here) [c](method.md#there) [d](../Cargo.toml) [e](https://no.where/x)";
    let right =
        [page("tables.md", &format!("# Here\n\n{links}\n")), page("method.md", "# There\n")];
    assert_eq!(faults(&right), Vec::<String>::new());
    for (link, fault) in [
        ("nowhere.md", "nothing is there"),
        ("#nowhere", "the page has no such heading"),
        ("method.md#here", "it points into something that is no page"),
        ("../Cargo.toml#here", "it points into something that is no page"),
        ("../../elsewhere", "it leads out of the project"),
    ] {
        let pages = [page("tables.md", &format!("# Here\n\n[a]({link})\n"))];
        assert_eq!(faults(&pages), [format!("docs/tables.md:3: `{link}`: {fault}")]);
    }
}
