//! A scratch folder as a repository.

use std::process::Command;

use super::Bench;

impl Bench {
    /// Git in the scratch folder, by somebody who has a name; what it prints.
    pub(crate) fn git(&self, words: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"])
            .args(words)
            .current_dir(self.path(""))
            .output()
            .expect("git");
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    }
}
