//! Scenes that are part of the program.

use crate::failure::Failure;
use std::ffi::OsStr;
use std::path::Path;

/// Name and text.
const SCENES: [(&str, &str); 8] = [
    ("rocks", include_str!("../../../../scenes/rocks.toml")),
    ("drum", include_str!("../../../../scenes/drum.toml")),
    ("balls", include_str!("../../../../scenes/balls.toml")),
    ("hopper", include_str!("../../../../scenes/hopper.toml")),
    ("chain", include_str!("../../../../scenes/chain.toml")),
    ("bolt", include_str!("../../../../scenes/bolt.toml")),
    ("dominoes", include_str!("../../../../scenes/dominoes.toml")),
    ("tower", include_str!("../../../../scenes/tower.toml")),
];

/// The text of a shipped scene with this name, if there is no such file.
pub fn named(path: &Path) -> Option<&'static str> {
    let found = SCENES.iter().find(|(name, _)| path.as_os_str() == OsStr::new(name));
    found.filter(|_| !path.is_file()).map(|(_, text)| *text)
}

/// The text of a scene.
pub fn text(name: &OsStr) -> Result<&'static str, Failure> {
    let found = SCENES.iter().find(|(own, _)| name == OsStr::new(own));
    found.map(|(_, text)| *text).ok_or_else(|| {
        let all: Vec<_> = SCENES.iter().map(|(own, _)| *own).collect();
        Failure::usage(format!("{name:?} is no file and no scene that ships; these are {}", all.join(", ")))
    })
}

/// A line for each scene.
pub fn list() -> String {
    let title = |text: &'static str| {
        let line = text.lines().find_map(|line| line.strip_prefix("title = "));
        line.map_or("", |line| line.trim_matches('"'))
    };
    SCENES.iter().map(|(name, text)| format!("{name:<10}  {}\n", title(text))).collect()
}
