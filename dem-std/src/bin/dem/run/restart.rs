//! The restart file: which scene, what has come of it, and the world's block with its checksum.

use super::output::write;
use super::progress::Progress;
use super::scene::Text;
use super::shapes::Loaded;
use crate::failure::Failure;
use dem_std::OwnedWorld;
use dem_std::dem_core::exec::Executor;
use dem_std::dem_core::memory::hash_items;
use std::path::Path;

const MAGIC: &[u8; 8] = b"demrun03";

/// A hash of what a run depends on: the scene without its title, end and outputs, and the shapes. Comments do not count.
pub fn print(text: &Text<'_>, loaded: &[Loaded]) -> Result<u64, Failure> {
    let mut table: toml::Table = toml::from_str(text.text).map_err(|e| text.at(0..0, e.message()))?;
    table.remove("title");
    table.remove("output");
    if let Some(toml::Value::Table(time)) = table.get_mut("time") {
        time.remove("end");
    }
    let seed = hash_items(1, format!("{table:?}").as_bytes());
    Ok(loaded.iter().fold(seed, |seed, shape| hash_items(seed, &shape.print())))
}

/// Writes the state behind a frame.
pub fn save(path: &Path, print: u64, progress: &Progress, world: &mut OwnedWorld) -> Result<(), Failure> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(print.to_le_bytes());
    let own = progress.to_bytes();
    bytes.extend(hash_items(2, &own).to_le_bytes());
    bytes.extend(own);
    bytes.extend(world.save()?);
    write(path, &bytes)
}

/// What a restart file of this scene has.
pub fn load(path: &Path, print: u64, exec: Box<dyn Executor + Send>) -> Result<(Progress, OwnedWorld), Failure> {
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
    if !bytes.starts_with(MAGIC) {
        return Err(wrong("this is no restart file, or one of another version"));
    }
    if own != print {
        return Err(wrong("this is of another scene; only the title, the end and the outputs may change"));
    }
    let read = Progress::from_bytes(rest);
    let Some((progress, block)) = read.filter(|(progress, _)| hash_items(2, &progress.to_bytes()) == sum) else {
        return Err(damaged("its sums are others than those that were written"));
    };
    let world = OwnedWorld::load(block, exec).map_err(|e| damaged(&e.to_string()))?;
    Ok((progress, world))
}
