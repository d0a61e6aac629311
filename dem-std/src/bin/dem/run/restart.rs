//! The restart file: the scene, the progress of its run, and the world's block with its checksum.

use super::output::write;
use super::progress::Progress;
use super::scene::Text;
use super::shapes::Loaded;
use crate::failure::Failure;
use dem_std::OwnedWorld;
use dem_std::dem_core::exec::Executor;
use dem_std::dem_core::memory::hash_items;
use std::collections::BTreeSet;
use std::path::Path;

const MAGIC: &[u8; 8] = b"demrun04";
/// The format of an earlier version, without the text of the scene.
const BEFORE: &[u8; 8] = b"demrun03";

/// The most changes of a scene that a message lists.
const MOST_CHANGES: usize = 5;

/// The parts of a scene that must not change, as a table.
fn fixed(text: &str) -> Result<toml::Table, toml::de::Error> {
    let mut table: toml::Table = toml::from_str(text)?;
    table.remove("title");
    table.remove("output");
    if let Some(toml::Value::Table(time)) = table.get_mut("time") {
        time.remove("end");
    }
    Ok(table)
}

/// A hash of the inputs of a run: the scene without its title, end and outputs, and the shapes. Comments do not count.
pub fn print(text: &Text<'_>, loaded: &[Loaded]) -> Result<u64, Failure> {
    let table = fixed(text.text).map_err(|e| text.at(0..0, e.message()))?;
    let seed = hash_items(1, format!("{table:?}").as_bytes());
    Ok(loaded.iter().fold(seed, |seed, shape| hash_items(seed, &shape.print())))
}

/// The differences of two values, each with the path of its key. Entries of lists count from 1, as in all messages.
fn differences(path: &str, old: Option<&toml::Value>, new: Option<&toml::Value>, found: &mut Vec<String>) {
    use toml::Value::{Array, Table};
    match (old, new) {
        (Some(Table(old)), Some(Table(new))) => {
            let keys: BTreeSet<_> = old.keys().chain(new.keys()).collect();
            for key in keys {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                differences(&path, old.get(key), new.get(key), found);
            }
        }
        (Some(Array(old)), Some(Array(new))) if old.len() == new.len() && old.iter().all(toml::Value::is_table) => {
            for (k, (old, new)) in old.iter().zip(new).enumerate() {
                differences(&format!("{path}[{}]", k + 1), Some(old), Some(new), found);
            }
        }
        // NaN is not equal to itself, but has not changed.
        (Some(old), Some(new)) if old == new || format!("{old:?}") == format!("{new:?}") => {}
        (None, None) => {}
        _ => {
            let told = |value: Option<&toml::Value>| match value {
                None => String::from("nothing"),
                Some(Array(items)) if items.iter().any(toml::Value::is_table) => format!("{} entries", items.len()),
                Some(value) => written(value),
            };
            found.push(format!("`{path}` from {} to {}", told(old), told(new)));
        }
    }
}

/// A value in the notation of scene files.
fn written(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => format!("{text:?}"),
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(is) => is.to_string(),
        toml::Value::Datetime(_) => String::from("a date"),
        toml::Value::Array(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(", ")),
        toml::Value::Table(_) => String::from("a table"),
    }
}

/// A message about the scene of a restart file, if its text differs from this one.
fn changes(old: &str, new: &str) -> String {
    let only = "only the title, the end and the outputs may change";
    let (Ok(old), Ok(new)) = (fixed(old), fixed(new)) else { return format!("this is of another scene; {only}") };
    let mut found = Vec::new();
    differences("", Some(&toml::Value::Table(old)), Some(&toml::Value::Table(new)), &mut found);
    if found.is_empty() {
        return format!(
            "this is of another scene: the mesh of a shape is another one, since its file has changed, or what the program makes; {only}"
        );
    }
    let more = match found.len().saturating_sub(MOST_CHANGES) {
        0 => String::new(),
        more => format!("\n  and {more} more"),
    };
    found.truncate(MOST_CHANGES);
    format!("this is of another scene: {only}, but here changed\n  {}{more}", found.join("\n  "))
}

/// Writes the state after a frame.
pub fn save(path: &Path, scene: (u64, &str), progress: &Progress, world: &mut OwnedWorld) -> Result<(), Failure> {
    let mut bytes = MAGIC.to_vec();
    let (print, text) = scene;
    bytes.extend(print.to_le_bytes());
    let mut own = (text.len() as u64).to_le_bytes().to_vec();
    own.extend(text.as_bytes());
    own.extend(progress.to_bytes());
    bytes.extend(hash_items(2, &own).to_le_bytes());
    bytes.extend(own);
    bytes.extend(world.save()?);
    write(path, &bytes)
}

/// The content of a restart file of this scene.
pub fn load(
    path: &Path,
    (print, text): (u64, &str),
    exec: Box<dyn Executor + Send>,
) -> Result<(Progress, OwnedWorld), Failure> {
    let wrong = |message: &str| Failure::Data(format!("{}: {message}", path.display()));
    let damaged = |what: &str| {
        wrong(&format!("the file is damaged ({what}); without --resume, the run begins again and replaces its results"))
    };
    let bytes = std::fs::read(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            wrong("there is no run to go on from: leave --resume away, or name its folder by `-o DIR`")
        }
        _ => wrong(&e.to_string()),
    })?;
    let number = |from: usize| bytes.get(from..).and_then(|rest| rest.first_chunk()).map(|b| u64::from_le_bytes(*b));
    let (Some(own), Some(sum), Some(rest)) = (number(8), number(16), bytes.get(24..)) else {
        return Err(wrong("this is no restart file: it is too short"));
    };
    let is_before = bytes.starts_with(BEFORE);
    if !bytes.starts_with(MAGIC) && !is_before {
        return Err(wrong("this is no restart file, or one of another version"));
    }
    let sums = || damaged("its sums are others than those that were written");
    let given = number(24).and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
    let length = if is_before { 0 } else { given.saturating_add(8) };
    let rest_of = rest.get(length..).ok_or_else(sums)?;
    let own_text = rest.get(8..length).map_or("", |bytes| std::str::from_utf8(bytes).unwrap_or_default());
    let told = || match is_before {
        true => wrong("this is of another scene; only the title, the end and the outputs may change"),
        false => wrong(&changes(own_text, text)),
    };
    let read = Progress::from_bytes(rest_of);
    let Some((progress, block)) = read.filter(|(progress, _)| {
        let head = rest.get(..length).unwrap_or_default();
        hash_items(2, &[head, &progress.to_bytes()[..]].concat()) == sum
    }) else {
        // The size of the progress depends on the number of sources.
        return Err(if own != print && is_before { told() } else { sums() });
    };
    if own != print {
        return Err(told());
    }
    let world = OwnedWorld::load(block, exec).map_err(|e| damaged(&e.to_string()))?;
    Ok((progress, world))
}
