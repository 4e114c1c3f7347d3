//! `mb completions` and `mb man`: what a shell completes, what `man` shows.

use crate::support::{mb, right};
#[cfg(target_os = "linux")]
use std::io::Write as _;
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

/// Command lines, and all that a shell offers for the last word; in a folder with the file `model.toml`.
#[cfg(target_os = "linux")]
const OFFERS: [(&[&str], &str); 7] = [
    (&["mb", "respo"], "response"),
    (&["mb", "modes", "--particip"], "--participation"),
    (&["mb", "equilibrium", "--strategy", "n"], "newton"),
    (&["mb", "generate", "bicy"], "bicycle"),
    (&["mb", "completions", "fi"], "fish"),
    (&["mb", "modes", "mod"], "model.toml"),
    (&["mb", "modes", "--mass", "mod"], "model.toml"),
];

#[cfg(target_os = "linux")]
#[test]
fn bash_completes_commands_and_options() {
    // Files are bash's own, where the script offers nothing.
    for (words, word) in OFFERS.iter().filter(|(_, word)| *word != "model.toml") {
        assert_eq!(offered(words), [*word], "{words:?}");
    }
}

/// What a shell prints with a script of completions in a folder with a model; none where the shell is missing, which is said.
#[cfg(target_os = "linux")]
fn in_shell(shell: &str, program: &str, line: &str) -> Option<Vec<String>> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("model.toml"), "").unwrap();
    std::fs::write(dir.path().join("_mb"), right(&["completions", shell])).unwrap();
    let mut command = Command::new(shell);
    let run = command.args(["-c", program, shell, line]).current_dir(dir.path());
    let run = run.env("HOME", dir.path()).env("XDG_CONFIG_HOME", dir.path()).output();
    let Ok(output) = run else {
        // Written past the test harness, which would keep it to itself.
        let _ = writeln!(std::io::stderr(), "NOT RUN: completions of {shell}, which is not installed");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

#[cfg(target_os = "linux")]
#[test]
fn fish_completes_commands_options_names_and_files() {
    for (words, word) in OFFERS {
        let Some(lines) = in_shell("fish", "source _mb; complete -C $argv[2]", &words.join(" ")) else {
            return;
        };
        let found: Vec<&str> = lines.iter().map(|l| l.split('\t').next().unwrap()).collect();
        assert_eq!(found, [word], "{words:?}");
    }
}

/// The line is typed into a second zsh at a terminal, whose `compadd` prints what is offered.
#[cfg(target_os = "linux")]
const TYPED: &str = r#"
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u -D; source ./_mb; zstyle ":completion:*" verbose no
compadd() {
  typeset -ga found
  builtin compadd -A found "$@"
  local offered
  for offered in $found; do print -r -- "OFFERED:$offered:"; done
}
ended() { print -r -- "ALL""OFFERED"; }
comppostfuncs=(ended)
bindkey "^I" complete-word
print -r -- "REA""DY"'
while zpty -r shell line; do [[ $line == *READY* ]] && break; done
zpty -w -n shell "$1"$'\t'
while zpty -r shell line; do
  [[ $line == *OFFERED:*:* ]] && print -r -- "${${line#*OFFERED:}%%:*}"
  [[ $line == *ALLOFFERED* ]] && break
done
zpty -d shell
"#;

#[cfg(target_os = "linux")]
#[test]
fn zsh_completes_commands_options_names_and_files() {
    for (words, word) in OFFERS {
        let Some(mut found) = in_shell("zsh", TYPED, &words.join(" ")) else { return };
        found.dedup();
        assert_eq!(found, [word], "{words:?}");
    }
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
