//! The program `mb`; everything it does is in the library [`mb_cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    mb_cli::main()
}
