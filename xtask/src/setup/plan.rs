//! What has to be run on which system; everything but the questions to the system is a pure function.

use std::fmt;
use std::process::{Command, Stdio};

use crate::error::TaskError;

/// A package manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manager {
    /// Debian, Ubuntu and what derives from them.
    AptGet,
    /// Fedora, and Red Hat's systems with EPEL.
    Dnf,
    /// Arch.
    Pacman,
    /// macOS.
    Brew,
}

impl fmt::Display for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program())
    }
}

/// How commands get the right to install.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Privilege {
    /// The user is root.
    Root,
    /// `sudo` is there.
    Sudo,
    /// Neither.
    None,
}

impl Manager {
    fn program(self) -> &'static str {
        match self {
            Self::AptGet => "apt-get",
            Self::Dnf => "dnf",
            Self::Pacman => "pacman",
            Self::Brew => "brew",
        }
    }

    /// The library.
    fn packages(self) -> &'static [&'static str] {
        match self {
            Self::AptGet => &["libarpack2"],
            Self::Dnf | Self::Pacman | Self::Brew => &["arpack"],
        }
    }

    /// The manager of the system this runs on.
    pub(super) fn of_this_system() -> Result<Self, TaskError> {
        let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        Self::of(std::env::consts::OS, &release)
    }

    /// The manager of a system, by Rust's name of it and the text of its os-release file.
    pub(super) fn of(os: &str, release: &str) -> Result<Self, TaskError> {
        if os == "macos" {
            return Ok(Self::Brew);
        }
        let value = |key: &str| {
            release.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default().trim_matches('"')
        };
        let (id, like) = (value("ID="), value("ID_LIKE="));
        for name in std::iter::once(id).chain(like.split_whitespace()) {
            match name {
                "debian" | "ubuntu" => return Ok(Self::AptGet),
                "fedora" | "rhel" => return Ok(Self::Dnf),
                "arch" => return Ok(Self::Pacman),
                _ => {}
            }
        }
        let system = if id.is_empty() { os } else { id }.to_owned();
        Err(TaskError::UnknownSystem { system })
    }
}

impl Privilege {
    /// Of the user this runs as.
    pub(super) fn of_this_user() -> Self {
        let output = |program: &str, argument: &str| {
            let output = Command::new(program).arg(argument).stderr(Stdio::null()).output().ok()?;
            output.status.success().then_some(output.stdout)
        };
        match output("id", "-u") {
            Some(id) if id.trim_ascii() == b"0" => Self::Root,
            _ if output("sudo", "-V").is_some() => Self::Sudo,
            _ => Self::None,
        }
    }
}

/// The commands for one system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    commands: Vec<Vec<String>>,
}

impl Plan {
    /// Of the packages of ARPACK-NG. Refuses where the user has no right to install.
    pub(super) fn new(manager: Manager, privilege: Privilege) -> Result<Self, TaskError> {
        Self::of(manager, privilege, manager.packages())
    }

    /// Of some packages.
    pub(super) fn of(
        manager: Manager,
        privilege: Privilege,
        packages: &[&'static str],
    ) -> Result<Self, TaskError> {
        let steps: &[&[&str]] = match manager {
            Manager::AptGet => &[&["update"], &["install", "--yes", "--no-install-recommends"]],
            Manager::Dnf => &[&["install", "--assumeyes"]],
            Manager::Pacman => &[&["-S", "--needed", "--noconfirm"]],
            Manager::Brew => &[&["install"]],
        };
        let mut commands = Vec::new();
        for (i, step) in steps.iter().enumerate() {
            let mut command = vec![manager.program()];
            command.extend_from_slice(step);
            if i + 1 == steps.len() {
                command.extend_from_slice(packages);
            }
            // Homebrew refuses to run as root.
            if privilege == Privilege::Sudo && manager != Manager::Brew {
                command.insert(0, "sudo");
            }
            commands.push(command.into_iter().map(str::to_owned).collect());
        }
        let plan = Self { commands };
        if privilege == Privilege::None && manager != Manager::Brew {
            let commands: Vec<_> = plan.commands.iter().map(|words| words.join(" ")).collect();
            return Err(TaskError::NoRight { commands: commands.join(" && ") });
        }
        Ok(plan)
    }

    /// The commands, each as its words.
    pub(super) fn commands(&self) -> &[Vec<String>] {
        &self.commands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(manager: Manager, privilege: Privilege) -> Vec<String> {
        Plan::new(manager, privilege).unwrap().commands().iter().map(|words| words.join(" ")).collect()
    }

    #[test]
    fn every_system_has_its_commands() {
        assert_eq!(
            lines(Manager::AptGet, Privilege::Root),
            ["apt-get update", "apt-get install --yes --no-install-recommends libarpack2"]
        );
        assert_eq!(
            lines(Manager::AptGet, Privilege::Sudo)[1],
            "sudo apt-get install --yes --no-install-recommends libarpack2"
        );
        assert_eq!(lines(Manager::Dnf, Privilege::Sudo), ["sudo dnf install --assumeyes arpack"]);
        assert_eq!(lines(Manager::Pacman, Privilege::Root), ["pacman -S --needed --noconfirm arpack"]);
        for privilege in [Privilege::Sudo, Privilege::None] {
            assert_eq!(lines(Manager::Brew, privilege), ["brew install arpack"]);
        }
    }

    #[test]
    fn without_the_right_the_commands_are_reported() {
        let error = Plan::new(Manager::Dnf, Privilege::None).unwrap_err().to_string();
        assert!(error.contains("dnf install --assumeyes arpack"), "{error}");
    }

    #[test]
    fn systems_are_known_by_their_release_file() {
        let of = |release: &str| Manager::of("linux", release).unwrap();
        assert_eq!(of("PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n"), Manager::AptGet);
        assert_eq!(of("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"), Manager::AptGet);
        assert_eq!(of("ID=fedora\n"), Manager::Dnf);
        assert_eq!(of("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n"), Manager::Dnf);
        assert_eq!(of("ID=manjaro\nID_LIKE=arch\n"), Manager::Pacman);
        assert_eq!(Manager::of("macos", "").unwrap(), Manager::Brew);
    }

    #[test]
    fn other_systems_are_refused_with_what_they_need() {
        for (os, release) in [("windows", ""), ("linux", "ID=alpine\n"), ("freebsd", "")] {
            let error = Manager::of(os, release).unwrap_err().to_string();
            assert!(error.contains("ARPACK-NG") && error.contains("ICB"), "{error}");
        }
        assert!(Manager::of("linux", "ID=alpine\n").unwrap_err().to_string().contains("alpine"));
    }
}
