//! Lines of a text file with their numbers.

use super::{Defect, FileError, Place};

/// Lines of `bytes` without their ends (`\n` or `\r\n`), each with its number; the first number is `first`.
pub(super) fn numbered(bytes: &[u8], first: u64) -> impl Iterator<Item = (u64, &[u8])> {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = body.split(|&b| b == b'\n').map(|l| l.strip_suffix(b"\r").unwrap_or(l));
    (first..).zip(lines)
}

/// The line as text.
pub(super) fn text(line: &[u8], number: u64) -> Result<&str, FileError> {
    std::str::from_utf8(line).map_err(|_| {
        FileError::new(
            Defect::Syntax,
            Place::Line(number),
            "holds bytes that are not text; the file is binary, damaged or of another format",
        )
    })
}

/// Shortens text for a message: at most a few words, no control characters.
pub(super) fn quoted(text: &str) -> String {
    let short: String = text.trim().chars().take(60).map(|c| if c.is_control() { '?' } else { c }).collect();
    if short.len() < text.trim().len() { format!("`{short}...`") } else { format!("`{short}`") }
}

/// A finite number, from one word.
pub(super) fn finite(word: &str, number: u64) -> Result<f64, FileError> {
    let x: f64 = word.parse().map_err(|_| {
        let message = format!("{} is not a number; write a decimal number", quoted(word));
        FileError::new(Defect::Syntax, Place::Line(number), message)
    })?;
    if x.is_finite() {
        return Ok(x);
    }
    let message = format!("{} is not a finite number; remove or repair the vertex", quoted(word));
    Err(FileError::new(Defect::NotFinite, Place::Line(number), message))
}
