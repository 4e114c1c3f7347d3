//! The program `mb`; everything it does is in the library [`mb_cli`].

use std::process::ExitCode;

#[global_allocator]
static MEMORY: mb_cli::memory::Memory = mb_cli::memory::Memory;

fn main() -> ExitCode {
    mb_cli::main()
}
