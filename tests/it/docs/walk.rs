//! The walk of docs/targets.md, from nothing to a server that keeps what it claims: the files are those of the page.

use std::process::Command;

use super::{Page, root};
use crate::support::{Bench, skipped};

/// The blocks of a language, in the order of the page.
fn blocks<'p>(page: &'p Page, language: &str) -> Vec<&'p str> {
    let blocks = page.blocks.iter().map(|(_, block)| block);
    blocks.filter(|it| it.language == language).map(|it| it.text.as_str()).collect()
}

/// The block that holds this line.
fn with<'p>(blocks: &[&'p str], line: &str) -> &'p str {
    let found = blocks.iter().copied().find(|text| text.lines().any(|it| it == line));
    found.unwrap_or_else(|| panic!("no block with `{line}`"))
}

#[test]
fn the_target_that_the_page_walks_through_keeps_what_it_claims() {
    if Command::new("perl").arg("--version").output().is_err() {
        return skipped("the walk of docs/targets.md", "perl is not found");
    }
    let page = Page::read(root().join("docs/targets.md"));
    let (perl, toml) = (blocks(&page, "perl"), blocks(&page, "toml"));
    let [program, modules, date] = perl[..] else { panic!("three blocks of Perl") };
    let declared = with(&toml, "language  = \"Perl\"");
    let variant = with(&toml, "[variant.short-queue]");
    let matrix = with(&toml, "# Does a loop in Perl answer as many as Go's net/http?");
    // The other one of the matrix takes a Go, and says nothing of the page.
    let matrix = matrix.replace("[[target]]\nfrom = \"../targets/go/net-http\"\n", "");
    let bench = Bench::new()
        .file("targets/toolchains.toml", with(&toml, "[perl]"))
        .file("targets/perl/select/target.toml", &format!("{declared}\n{variant}"))
        .file("targets/perl/select/server.pl", program)
        .file("configs/perl.toml", &matrix);
    let words = ["check", "--serve", "configs/perl.toml", "--share-machine"];
    let told = bench.orchestrate(&words).exits(5).stdout;
    assert!(told.contains("1 broken\n  Content-Length and Date: "), "{told}");
    assert!(told.contains("no header `Date` in the answer"), "{told}");

    let below = "use IO::Socket::INET;\n";
    let before = "    syswrite $socket, \"$head\\r\\nConnection";
    for line in [below, before] {
        assert_eq!(program.matches(line).count(), 1, "{line}");
    }
    let mended = program
        .replace(below, &format!("{below}{modules}"))
        .replace(before, &format!("{date}{before}"));
    bench.write("targets/perl/select/server.pl", &mended);
    let told = bench.orchestrate(&words).exits(0).stdout;
    assert!(told.contains(" checks kept, 0 broken"), "{told}");
}
