//! The reason why the program stops, and its exit status.

use dem_std::dem_core::error::Error;
use dem_std::files::FileError;
use std::process::ExitCode;

pub enum Failure {
    /// Wrong arguments: status 2.
    Usage(String),
    /// Wrong data, or a failure of the machine: status 1.
    Data(String),
    /// The user has stopped the program: status 130, as for programs that an interrupt ends.
    Stopped(String),
    /// The reader of the output has closed it: no failure.
    Closed,
}

impl Failure {
    pub fn usage(message: impl Into<String>) -> Self {
        Failure::Usage(message.into())
    }

    pub fn from_output(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Failure::Closed
        } else {
            Failure::Data(format!("the output cannot be written: {error}"))
        }
    }

    pub fn report(self) -> ExitCode {
        let (message, status) = match self {
            Failure::Usage(message) => (message, 2),
            Failure::Data(message) => (message, 1),
            Failure::Stopped(message) => (message, 130),
            Failure::Closed => return ExitCode::SUCCESS,
        };
        use std::io::Write;
        // If this write fails, only the status remains.
        let _ = writeln!(std::io::stderr(), "dem: {message}");
        ExitCode::from(status)
    }
}

impl From<lexopt::Error> for Failure {
    fn from(error: lexopt::Error) -> Self {
        Failure::Usage(format!("{error}; see `dem --help`"))
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Failure::Data(error.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Data(error.to_string())
    }
}
