//! `mb completions` and `mb man`: what a shell completes, what `man` shows.

use crate::support::{mb, right};
use std::process::Command;

/// What bash offers for the last word of a command line.
fn offered(words: &[&str]) -> Vec<String> {
    let script = right(&["completions", "bash"]);
    let line = format!(
        "{script}\nCOMP_WORDS=({}); COMP_CWORD={}; _mb mb '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        words.len() - 1,
        words.last().unwrap(),
        words[words.len() - 2]
    );
    let output = Command::new("bash").args(["-c", &line]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn bash_completes_commands_and_options() {
    assert_eq!(offered(&["mb", "respo"]), ["response"]);
    assert_eq!(offered(&["mb", "modes", "--particip"]), ["--participation"]);
    let strategies = offered(&["mb", "equilibrium", "--strategy", "n"]);
    assert_eq!(strategies, ["newton"]);
    assert_eq!(offered(&["mb", "generate", "bicy"]), ["bicycle"]);
}

#[test]
fn other_shells_have_their_scripts() {
    for (shell, sign) in
        [("zsh", "#compdef mb"), ("fish", "complete -c mb"), ("powershell", "Register-ArgumentCompleter")]
    {
        let script = right(&["completions", shell]);
        assert!(script.contains(sign) && script.contains("state-space"), "{shell}");
    }
    let run = mb(&["completions", "csh"]);
    assert!(run.code == 1 && run.err.contains("powershell"), "{run:?}");
}

#[test]
fn every_command_has_a_page() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("man1");
    right(&["man", folder.to_str().unwrap()]);
    let help = right(&["--help"]);
    let list = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let own = list.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    let commands: Vec<&str> =
        own.map(|l| l.split_whitespace().next().unwrap()).filter(|c| *c != "help").collect();
    assert!(commands.len() > 12, "{commands:?}");
    for command in &commands {
        let page = std::fs::read_to_string(folder.join(format!("mb-{command}.1"))).unwrap();
        assert!(page.starts_with(".ie") && page.contains(&format!(".TH mb-{command}")), "{page}");
    }
    let page = std::fs::read_to_string(folder.join("mb.1")).unwrap();
    assert!(
        page.contains("state\\-space") && std::fs::read_dir(&folder).unwrap().count() == commands.len() + 1
    );
    // A file where the folder should be.
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let run = mb(&["man", file.to_str().unwrap()]);
    assert!(run.code == 1 && run.err.contains("file"), "{run:?}");
}
