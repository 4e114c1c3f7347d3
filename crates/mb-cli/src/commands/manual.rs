//! `mb completions` and `mb man`: what shells and `man` know of the command line, made from the command line itself.

use crate::Answer;
use crate::args::{Cli, CompletionsArgs, ManArgs, ShellArg};
use crate::failure::Failure;
use crate::gallery;
use crate::outfile::Group;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

/// The script that completes command lines in a shell.
pub fn completions(args: &CompletionsArgs) -> Answer {
    let shell = match args.shell {
        ShellArg::Bash => Shell::Bash,
        ShellArg::Zsh => Shell::Zsh,
        ShellArg::Fish => Shell::Fish,
        ShellArg::PowerShell => Shell::PowerShell,
    };
    let mut bytes = Vec::new();
    let models = PossibleValuesParser::new(gallery::MODELS.iter().map(|m| m.name));
    let mut program = Cli::command()
        .mut_subcommand("generate", |command| command.mut_arg("name", |name| name.value_parser(models)));
    clap_complete::generate(shell, &mut program, "mb", &mut bytes);
    let mut script = String::from_utf8_lossy(&bytes).into_owned();
    if matches!(shell, Shell::Fish) {
        script += &fish_values(&program);
    }
    Answer::right(script)
}

/// What fish is not told by the generator: the values of arguments without an option, and that no file stands for them.
fn fish_values(program: &Command) -> String {
    let line = |command: &Command| {
        let values = command.get_positionals().flat_map(Arg::get_possible_values);
        let names: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
        let (command, names) = (command.get_name(), names.join(" "));
        let told = format!("complete -c mb -n \"__fish_mb_using_subcommand {command}\" -f -a \"{names}\"\n");
        (!names.is_empty()).then_some(told)
    };
    program.get_subcommands().filter_map(line).collect()
}

/// Writes the pages.
///
/// # Errors
/// [`Failure::Unwritable`].
pub fn man(args: &ManArgs) -> Result<Answer, Failure> {
    let mut group = Group::new(&args.folder)?;
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let mut count = 0;
    let commands = program.get_subcommands().filter(|c| !c.is_hide_set()).cloned();
    for command in std::iter::once(program.clone()).chain(commands) {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        let page = Man::new(command);
        group.write(&format!("{name}.1"), |out| page.render(out))?;
        count += 1;
    }
    group.finish()?;
    Ok(Answer::right(format!("{}: {count} pages. Read them with man.\n", args.folder.display())))
}
