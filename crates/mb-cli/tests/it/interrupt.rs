//! Ctrl-C ends the program at once, with the exit code that shells expect.

#![cfg(unix)]

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Exit code and words of a program that is interrupted after a while.
fn interrupted(after: Duration) -> (Option<i32>, String) {
    // Waits for a model that never comes.
    let mut child = Command::new(env!("CARGO_BIN_EXE_mb"))
        .args(["modes", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    // The standard error ends when the program does.
    let mut words = String::new();
    child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
    drop(child.stdin.take());
    (child.wait().unwrap().code(), words)
}

#[test]
fn an_interrupt_ends_the_program_cleanly() {
    // On a busy machine the signal may come before the program has set its handler; there is no code then.
    let ended = [500, 3000, 12_000].into_iter().map(|ms| interrupted(Duration::from_millis(ms)));
    let found = ended.into_iter().find(|(code, _)| code.is_some());
    assert_eq!(found, Some((Some(130), "Interrupted. There is no part of an answer yet.\n".to_owned())));
}
