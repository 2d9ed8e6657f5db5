//! The page of a run, in a browser: headless Chromium, where there is one.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::made_up::{self, Size};
use crate::support::{Bench, skipped};

/// What a page tells of itself.
#[derive(Debug, Deserialize)]
struct Probe {
    errors: Vec<String>,
    alerts: u32,
    is_dark: bool,
    ground: String,
    inner_width: u32,
    scroll_width: u32,
    charts: usize,
    /// Texts that reach out of their chart.
    cut: Vec<String>,
    /// Texts that stand out too little from what they stand on.
    faint: Vec<String>,
    /// CPU per answer of the rows of the first table, as its rows come, after one click and after two.
    sorted: [Vec<f64>; 2],
    /// Whether rows without figures stay below.
    is_reason_last: bool,
    rows: usize,
    /// Rows that the filter for `net-http` leaves.
    filtered: usize,
}

const PROBE: &str = r#"<script>
(() => {
  const numbers = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = numbers(colour).slice(0, 3).map((value) => value / 255)
      .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (numbers(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const says = (element) => Array.from(element.childNodes)
    .some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
  const faint = Array.from(document.querySelectorAll("body *"))
    .filter((element) => says(element) && element.getClientRects().length > 0)
    .filter((element) => !["SCRIPT", "STYLE"].includes(element.tagName))
    .filter((element) => {
      const style = getComputedStyle(element);
      const isDrawn = element.namespaceURI.endsWith("svg");
      return contrast(isDrawn ? style.fill : style.color, ground(element)) < 4.5;
    }).map((element) => `${element.tagName} ${element.textContent.slice(0, 40)}`);
  const cut = Array.from(document.querySelectorAll("svg.chart")).flatMap((svg) => {
    const box = svg.getBoundingClientRect();
    return Array.from(svg.querySelectorAll("text")).filter((text) => {
      const { left, right, top, bottom } = text.getBoundingClientRect();
      return left < box.left - 1 || right > box.right + 1 || top < box.top - 1 || bottom > box.bottom + 1;
    }).map((text) => text.textContent);
  });
  const root = document.documentElement;
  const told = {
    faint, cut, is_dark: matchMedia("(prefers-color-scheme: dark)").matches,
    ground: getComputedStyle(document.body).backgroundColor,
    inner_width: innerWidth, scroll_width: root.scrollWidth,
    charts: document.querySelectorAll("svg.chart").length,
  };
  const table = document.querySelector("table.sorts");
  const tell = () => {
    told.errors = window.itErrors;
    told.alerts = window.itAlerts;
    parent.postMessage(JSON.stringify(told), "*");
  };
  if (!table) {
    Object.assign(told, { sorted: [[], []], is_reason_last: true, rows: 0, filtered: 0 });
    tell();
    return;
  }
  const heads = Array.from(table.tHead.rows[0].cells);
  const place = heads.findIndex((head) => head.textContent === "CPU/answer");
  const rows = () => Array.from(table.tBodies[0].rows);
  const figures = () => rows().filter((row) => !row.classList.contains("without"))
    .map((row) => Number(row.cells[place].dataset.v));
  const click = () => { heads[place].querySelector("button").click(); return figures(); };
  told.sorted = [click(), click()];
  const without = rows().map((row) => row.classList.contains("without"));
  told.is_reason_last = without.indexOf(true) === -1 || !without.slice(without.indexOf(true)).includes(false);
  const all = () => Array.from(document.querySelectorAll("table.sorts tbody tr"));
  told.rows = all().length;
  const form = document.getElementById("filter");
  form.elements.text.value = "NET-http";
  form.dispatchEvent(new Event("input", { bubbles: true }));
  told.filtered = all().filter((row) => row.getClientRects().length > 0).length;
  tell();
})();
</script></body>"#;

const WATCH: &str = "<head><script>
window.itErrors = []; window.itAlerts = 0; window.alert = () => { window.itAlerts += 1; };
addEventListener('error', (event) => window.itErrors.push(String(event.message)));
</script>";

/// A page in a frame as wide as is asked for: a window has a least width. It writes down what the frame tells.
fn framed(page: &str, width: u32) -> String {
    format!(
        "<!doctype html><meta name=\"color-scheme\" content=\"light dark\"><body><script>
addEventListener('message', (event) => {{
  const probe = document.createElement('pre');
  probe.id = 'probe';
  probe.textContent = event.data;
  document.body.append(probe);
}});
</script><iframe style=\"width:{width}px;height:900px;border:0\" src=\"{page}\"></iframe></body>"
    )
}

/// Headless Chromium.
struct Browser {
    program: PathBuf,
    scratch: tempfile::TempDir,
}

impl Browser {
    fn find() -> Option<Self> {
        let path = std::env::var_os("PATH")?;
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let program = std::env::split_paths(&path)
            .flat_map(|folder| names.map(|name| folder.join(name)))
            .find(|program| program.is_file());
        if program.is_none() {
            skipped("a page in a browser", "there is no `chromium`");
        }
        Some(Self { program: program?, scratch: tempfile::tempdir().expect("a scratch folder") })
    }

    /// What it has of a page in the end, and what it said meanwhile.
    fn dump(&self, page: &Path, is_dark: bool) -> (String, String) {
        let scheme = u8::from(!is_dark);
        let output = assert_cmd::Command::new(&self.program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--dump-dom"])
            .args(["--disable-background-networking", "--enable-logging=stderr"])
            .arg(format!("--user-data-dir={}", self.scratch.path().join("profile").display()))
            .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
            // Until all that was to happen has happened.
            .arg("--virtual-time-budget=10000")
            .arg("--window-size=1600,1000")
            .arg(format!("file://{}", page.display()))
            .env("HOME", self.scratch.path())
            .timeout(Duration::from_mins(2))
            .output()
            .expect("chromium runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    }

    /// Looks at a page as it is, and then at a copy that tells of itself.
    fn probe(&self, page: &Path, width: u32, is_dark: bool) -> Probe {
        let text = fs::read_to_string(page).expect("a page");
        let policy = text.find("<meta http-equiv").expect("a policy");
        let end = policy + text[policy..].find('>').expect("its end") + 1;
        let open = format!("{}{}", &text[..policy], &text[end..]);
        let copy = open.replacen("<head>", WATCH, 1).replacen("</body>", PROBE, 1);
        let write = |name: &str, text: &str| {
            let path = self.scratch.path().join(name);
            fs::write(&path, text).expect("written");
            path
        };
        write("probe.html", &copy);
        let (dom, said) = self.dump(&write("frame.html", &framed("probe.html", width)), is_dark);
        let told = dom.split("<pre id=\"probe\">").nth(1).and_then(|it| it.split("</pre>").next());
        let told = told.unwrap_or_else(|| panic!("the page tells nothing: {said}"));
        let told = told.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        serde_json::from_str(&told).unwrap_or_else(|error| panic!("{error}: {told}"))
    }
}

fn assert_well(probe: &Probe, width: u32, is_dark: bool) {
    assert_eq!(probe.errors, [""; 0], "{width}");
    assert_eq!(probe.alerts, 0, "a name was run");
    assert_eq!(probe.is_dark, is_dark);
    let ground = if is_dark { "rgb(20, 23, 28)" } else { "rgb(255, 255, 255)" };
    assert_eq!(probe.ground, ground);
    assert_eq!(probe.inner_width, width);
    assert!(probe.scroll_width <= width, "{} of {width}", probe.scroll_width);
    assert_eq!(probe.cut, [""; 0], "{width}");
    assert_eq!(probe.faint, [""; 0], "{is_dark}");
}

fn assert_sorts(probe: &Probe) {
    let [down, up] = &probe.sorted;
    assert!(down.len() > 1 && down.windows(2).all(|pair| pair[0] >= pair[1]), "{down:?}");
    assert!(up.windows(2).all(|pair| pair[0] <= pair[1]), "{up:?}");
    assert!(probe.is_reason_last);
}

/// A page as it is: nothing is refused or goes wrong, and without scripts all of it is there.
fn assert_sound(browser: &Browser, page: &Path) {
    let (dom, said) = browser.dump(page, false);
    assert!(dom.contains("<button type=\"button\">"), "its script ran: {said}");
    assert!(!said.contains("CONSOLE"), "{said}");
    let whole = fs::read_to_string(page).expect("a page");
    let begin = whole.find("script-src 'sha256-").expect("a policy");
    let end = begin + whole[begin..].find(';').expect("its end");
    let path = browser.scratch.path().join("plain.html");
    let forbidden = format!("{}script-src 'none'{}", &whole[..begin], &whole[end..]);
    fs::write(&path, forbidden).expect("written");
    let (dom, said) = browser.dump(&path, false);
    let charts = dom.matches("<svg class=\"chart\"").count();
    assert_eq!(charts, whole.matches("<svg class=\"chart\"").count(), "{said}");
    assert!(!dom.contains("<button"), "scripts are off");
    assert!(dom.contains("<form class=\"filter\" id=\"filter\" hidden"), "{said}");
}

#[test]
fn the_page_of_a_run_is_well_in_a_browser() {
    let bench = Bench::new()
        .rounds(2)
        .policy("reference = \"go/net-http\"")
        .target("go/net-http", "")
        .target("other", "")
        .target_with("bad", "", "build = [\"sh -c 'exit 4'\"]");
    let outcome = bench.run(&[]).exits(5);
    let page = outcome.folder().join("report.html");
    let text = outcome.file("report.html");
    for log in text.split(" href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        let is_there = log.starts_with('#') || outcome.folder().join(log).is_file();
        assert!(is_there, "{log}");
    }
    let Some(browser) = Browser::find() else { return };
    assert_sound(&browser, &page);
    for (width, is_dark) in [(380, false), (1400, true)] {
        let probe = browser.probe(&page, width, is_dark);
        assert_well(&probe, width, is_dark);
        assert_sorts(&probe);
        assert_eq!((probe.charts, probe.rows, probe.filtered), (5, 3, 1));
    }
}

#[test]
fn the_page_of_a_large_run_is_small_and_well_in_a_browser() {
    let bench = Bench::new();
    let folder = bench.path("made-up");
    made_up::write(&folder, Size { targets: 20, tables: 5, rounds: 7 });
    let words = ["report", folder.to_str().expect("a path"), "--write", "--format", "csv"];
    bench.orchestrate(&words).exits(0);
    let page = folder.join("report.html");
    let length = fs::metadata(&page).expect("a page").len();
    assert!(length <= 500_000, "{length} bytes");
    let Some(browser) = Browser::find() else { return };
    assert_sound(&browser, &page);
    for width in [380, 1400] {
        for is_dark in [false, true] {
            let probe = browser.probe(&page, width, is_dark);
            assert_well(&probe, width, is_dark);
            assert_sorts(&probe);
            assert_eq!((probe.charts, probe.rows, probe.filtered), (25, 105, 5));
        }
    }
}

#[test]
fn the_page_of_a_history_is_well_in_a_browser() {
    let harmful = &made_up::names(7)[1..];
    let bench = crate::nights::nights_called(harmful);
    let words = ["history", "nightly", "--results", "results", "--format", "html"];
    let text = bench.orchestrate(&words).exits(0).stdout;
    let page = bench.path("history.html");
    fs::write(&page, &text).expect("written");
    let Some(browser) = Browser::find() else { return };
    let (_, said) = browser.dump(&page, false);
    assert!(!said.contains("CONSOLE"), "{said}");
    for (width, is_dark) in [(380, true), (1400, false)] {
        let probe = browser.probe(&page, width, is_dark);
        assert_well(&probe, width, is_dark);
        // The control and six rows, two figures each.
        assert_eq!(probe.charts, 14);
    }
}

#[test]
fn charts_are_written_as_files_and_a_page_is_made_of_a_summary_alone() {
    let bench = Bench::new();
    let folder = bench.path("made-up");
    made_up::write(&folder, Size { targets: 9, tables: 2, rounds: 5 });
    let run = folder.to_str().expect("a path").to_owned();
    let charts = bench.path("charts/of it");
    let words = ["report", &run, "--write", "--svg", charts.to_str().expect("a path")];
    bench.orchestrate(&words).exits(0).says(&["10 charts in"]);
    let count = |folder: &Path| fs::read_dir(folder).expect("a folder").count();
    assert_eq!(count(&charts), 10);
    assert!(charts.join("work-0-c64-comparison.svg").is_file());
    let summary = fs::read(folder.join("summary.json")).expect("a summary");
    fs::remove_file(folder.join("trials.ndjson")).expect("removed");
    fs::remove_file(folder.join("tables.md")).expect("removed");
    let fewer = bench.path("fewer");
    let words = [
        "report",
        &run,
        "--write",
        "--load",
        "c64",
        "--svg",
        fewer.to_str().expect("a path"),
        "--format",
        "html",
    ];
    let told = bench.orchestrate(&words).exits(0).stdout;
    assert!(told.contains("This page was made from summary.json alone."), "{told}");
    assert_eq!(told.matches("<svg class=\"chart\"").count(), 2);
    assert_eq!(count(&fewer), 2);
    assert!(folder.join("tables.md").is_file(), "it is made again");
    assert_eq!(fs::read(folder.join("summary.json")).expect("there"), summary, "it is as it was");
}
