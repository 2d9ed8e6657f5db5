//! The thin binary: parses, calls, and maps the end to an exit code.

use std::process::ExitCode;

use orchestrate::{cli, commands, error};

fn main() -> ExitCode {
    let cli = match cli::read(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output, faults to standard error; a reader that has gone is no fault.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match commands::execute_hidden(&cli.verb) {
        Some(code) => ExitCode::from(code),
        None => error::exit_code(&commands::execute(&cli)),
    }
}
