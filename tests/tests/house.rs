//! The files of a crate import from files below them: circles of imports are told, and only those that are listed here may be.
//!
//! The sources are read as text. A file imports another one if its code names an item of it: by `use`, or by a path such as `super::step::Step`.
//! Re-exports lead to the file that defines the item, tests do not count, and neither do methods, which nobody imports.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Files of circles that are left, and why. The list may only become shorter.
const CORE: &[&[&str]] = &[
    // A token names its lanes as associated types, and each lane its token.
    &["simd/x86.rs", "simd/x86/sse2.rs", "simd/x86/wide.rs"],
];

/// In the C interface, a file is a chapter of a header, as the generator of headers reads one file at a time: the structs of a chapter stand
/// beside its functions. The functions call the code behind them, in files of their own, which reads the structs.
const CAPI: &[&[&str]] = &[
    &["elementary.rs", "outputs.rs", "pairing.rs", "strided.rs", "triangles.rs"],
    &["detect.rs", "detect/query.rs", "scene_drive.rs", "shortage.rs"],
    &["contacts.rs", "contacts/run.rs"],
    &["edge.rs", "errors.rs"],
    &["history.rs", "history/lists.rs"],
    &["memory.rs", "scratch.rs"],
    &["near.rs", "near/query.rs"],
    &["pair_contacts.rs", "search.rs"],
    &["points.rs", "points/run.rs"],
    &["scenes.rs", "scenes/reading.rs"],
    &["shapes.rs", "shapes/block.rs"],
    &["world_drive.rs", "world_steps.rs"],
];

#[test]
fn files_of_the_core_import_from_below() {
    assert_eq!(circles("dem-core/src"), listed(CORE));
}

#[test]
fn files_of_the_c_interface_import_from_below() {
    assert_eq!(circles("dem-capi/src"), listed(CAPI));
}

#[test]
fn circles_are_found() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("house");
    std::fs::create_dir_all(folder.join("room")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("lib.rs", "pub mod a;\nmod room;\npub use room::B;\n#[cfg(test)]\nmod tests { use crate::a::A; }\n");
    write(
        "a.rs",
        "//! [`crate::room`]\nuse crate::B; // use crate::x;\npub struct A(pub B);\nconst S: &str = \"use crate::a;\";\n",
    );
    write("room/mod.rs", "mod b;\nmod c;\npub use b::B;\npub(crate) fn own() { c::c() }\n");
    write("room/b.rs", "pub struct B;\n#[cfg(test)]\nfn test() -> crate::a::A { crate::a::A(B) }\n");
    write("room/c.rs", "pub fn c() { super::super::a::A(crate::B); }\n");
    let none: Vec<Vec<String>> = Vec::new();
    assert_eq!(circles_in(&folder), none);
    write("room/b.rs", "use super::own;\npub struct B;\nfn b() { own() }\n");
    assert_eq!(circles_in(&folder), [["a.rs", "room/b.rs", "room/c.rs", "room/mod.rs"]]);
}

fn listed(list: &[&[&str]]) -> Vec<Vec<String>> {
    list.iter().map(|circle| circle.iter().map(|file| file.to_string()).collect()).collect()
}

/// Sets of files of a crate that import each other, the largest first.
fn circles(sources: &str) -> Vec<Vec<String>> {
    circles_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(sources))
}

fn circles_in(sources: &Path) -> Vec<Vec<String>> {
    let mut package = Package { sources: sources.to_path_buf(), modules: BTreeMap::new() };
    package.read(Vec::new(), sources.join("lib.rs"));
    strongly_connected(&package.imports())
}

type Name = Vec<String>;

/// A module, in a file of its own or within one.
#[derive(Default)]
struct Module {
    file: String,
    /// Items that it defines, and modules in it.
    items: HashSet<String>,
    /// Names that it imports, with their paths.
    imports: HashMap<String, Name>,
    /// Names of these that it only hands on, unless its code names them.
    handed_on: HashSet<String>,
    /// Modules all of whose names it imports.
    globs: Vec<Name>,
    /// All paths in its code.
    paths: Vec<Name>,
}

struct Package {
    sources: PathBuf,
    modules: BTreeMap<Name, Module>,
}

impl Package {
    fn read(&mut self, name: Name, path: PathBuf) {
        let text = read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let file = path.strip_prefix(&self.sources).unwrap().to_str().unwrap().replace('\\', "/");
        let is_root = ["lib.rs", "mod.rs"].contains(&path.file_name().unwrap().to_str().unwrap());
        let folder = if is_root { path.parent().unwrap().to_path_buf() } else { path.with_extension("") };
        self.items(name, &file, &tokens(&text), &folder);
    }

    /// The items of a module.
    fn items(&mut self, name: Name, file: &str, mut rest: &[String], folder: &Path) {
        let mut module = Module { file: file.to_string(), ..Module::default() };
        let (mut is_test, mut is_public) = (false, false);
        while let Some(token) = rest.first() {
            let next = rest.get(1).map_or("", String::as_str);
            match token.as_str() {
                "#" => {
                    let open = if next == "!" { 2 } else { 1 };
                    let end = open + closed(&rest[open..]);
                    let attribute = rest[open..end].concat();
                    is_test |=
                        attribute.starts_with("[cfg(") && attribute.contains("test") && !attribute.contains("not(test");
                    rest = &rest[end..];
                    continue;
                }
                "pub" => {
                    is_public = true;
                    rest = &rest[if next == "(" { 1 + closed(&rest[1..]) } else { 1 }..];
                    continue;
                }
                ";" => rest = &rest[1..],
                "use" => {
                    let end = rest.iter().position(|t| t == ";").unwrap();
                    if !is_test {
                        module.import(&rest[1..end], is_public);
                    }
                    rest = &rest[end..];
                }
                "mod" => {
                    let inner = Vec::from_iter(name.iter().cloned().chain([next.to_string()]));
                    let end = if rest[2] == ";" { 3 } else { 2 + closed(&rest[2..]) };
                    if !is_test {
                        module.items.insert(next.to_string());
                        match rest[2].as_str() {
                            ";" => self.read(inner, module_file(folder, next)),
                            _ => self.items(inner, file, &rest[3..end - 1], &folder.join(next)),
                        }
                    }
                    rest = &rest[end..];
                }
                _ => {
                    let end = item_end(rest);
                    if !is_test {
                        module.define(&rest[..end]);
                    }
                    rest = &rest[end..];
                }
            }
            (is_test, is_public) = (false, false);
        }
        self.modules.insert(name, module);
    }

    /// The module and item that a path of a module leads to; no item where it leads to a module itself.
    fn resolve(&self, from: &Name, path: &[String], depth: usize) -> Option<(Name, Option<String>)> {
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => Name::new(),
            "self" => from.clone(),
            "super" => {
                let up = 1 + rest.iter().take_while(|part| *part == "super").count();
                rest = &rest[up - 1..];
                from[..from.len().checked_sub(up)?].to_vec()
            }
            _ => match self.named(from, first, depth)? {
                (at, None) => at,
                item => return Some(item),
            },
        };
        while let Some((first, others)) = rest.split_first() {
            rest = others;
            at = match self.named(&at, first, depth) {
                Some((at, None)) => at,
                Some(item) => return Some(item),
                // A macro makes it.
                None => return Some((at, Some(first.clone()))),
            };
        }
        Some((at, None))
    }

    /// What a name is in a module.
    fn named(&self, at: &Name, name: &str, depth: usize) -> Option<(Name, Option<String>)> {
        let inner = Vec::from_iter(at.iter().cloned().chain([name.to_string()]));
        if self.modules.contains_key(&inner) {
            return Some((inner, None));
        }
        let module = self.modules.get(at)?;
        if module.items.contains(name) {
            return Some((at.clone(), Some(name.to_string())));
        }
        if depth == 0 {
            return None;
        }
        if let Some(path) = module.imports.get(name) {
            return self.resolve(at, path, depth - 1);
        }
        module.globs.iter().find_map(|glob| match self.resolve(at, glob, depth - 1)? {
            (other, None) if other != *at => self.named(&other, name, depth - 1),
            _ => None,
        })
    }

    /// Which files each file imports.
    fn imports(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, module) in &self.modules {
            let own = all.entry(module.file.clone()).or_default();
            let imported =
                module.imports.iter().filter(|(name, _)| !module.handed_on.contains(*name)).map(|(_, path)| path);
            for path in module.paths.iter().chain(imported) {
                if let Some((other, Some(_))) = self.resolve(name, path, 20)
                    && self.modules[&other].file != module.file
                {
                    own.insert(self.modules[&other].file.clone());
                }
            }
        }
        all
    }
}

impl Module {
    /// The tokens of a `use`, without that word and the semicolon.
    fn import(&mut self, tree: &[String], is_public: bool) {
        for mut path in branches(tree) {
            let alias = match path.iter().position(|part| part == "as") {
                Some(at) => path.split_off(at).pop(),
                None => None,
            };
            let last = path.last().cloned().unwrap_or_default();
            if last == "*" {
                path.pop();
                self.globs.push(path);
                continue;
            }
            if last == "self" {
                path.pop();
            }
            let name = alias.or(path.last().cloned()).unwrap_or_default();
            if is_public {
                self.handed_on.insert(name.clone());
            }
            self.imports.insert(name, path);
        }
    }

    /// The name of an item, and the paths in it.
    fn define(&mut self, item: &[String]) {
        const KINDS: [&str; 8] = ["struct", "enum", "union", "trait", "type", "fn", "const", "static"];
        let kind = |token: &String| KINDS.contains(&token.as_str());
        if item.get(1).is_some_and(|t| t == "!") {
            let makes = item[0] == "macro_rules";
            let named = item.iter().enumerate().filter(|(i, token)| if makes { *i == 1 } else { kind(token) });
            self.items.extend(named.filter_map(|(i, _)| item.get(i + 1).cloned()));
        } else {
            let head =
                item.iter().position(|t| ["{", "(", "=", ":", "impl"].contains(&t.as_str())).unwrap_or(item.len());
            // `const fn` and the like: the last one counts.
            let last = item[..head]
                .iter()
                .rposition(|token| kind(token) && token != "const")
                .or(item[..head].iter().position(kind));
            self.items.extend(last.and_then(|i| item.get(i + 1).cloned()));
        }
        let mut rest = item;
        while let Some(token) = rest.first() {
            if token == "use" {
                let end = rest.iter().position(|t| t == ";").unwrap_or(rest.len() - 1);
                self.paths.extend(branches(&rest[1..end]));
                rest = &rest[end..];
            } else if is_name(token) {
                let mut path = vec![token.clone()];
                rest = &rest[1..];
                while rest.len() > 1 && rest[0] == "::" && is_name(&rest[1]) {
                    path.push(rest[1].clone());
                    rest = &rest[2..];
                }
                self.paths.push(path);
            } else {
                // Behind a dot there is a field or a method.
                rest = &rest[if token == "." && rest.len() > 1 { 2 } else { 1 }..];
            }
        }
    }
}

/// The paths of a tree of imports.
fn branches(tree: &[String]) -> Vec<Name> {
    let open = tree.iter().position(|t| t == "{").unwrap_or(tree.len());
    let stem: Name = tree[..open].iter().filter(|t| *t != "::").cloned().collect();
    let Some(inner) = tree.get(open + 1..tree.len().saturating_sub(1)).filter(|_| open < tree.len()) else {
        return vec![stem];
    };
    let (mut paths, mut from, mut depth) = (Vec::new(), 0, 0);
    for (i, token) in inner.iter().map(String::as_str).chain([","]).enumerate() {
        match token {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," if depth == 0 => {
                let branch = branches(&inner[from..i]);
                paths.extend(branch.into_iter().filter(|b| !b.is_empty()).map(|b| [stem.clone(), b].concat()));
                from = i + 1;
            }
            _ => {}
        }
    }
    paths
}

fn module_file(folder: &Path, name: &str) -> PathBuf {
    let own = folder.join(format!("{name}.rs"));
    if own.exists() { own } else { folder.join(name).join("mod.rs") }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The number of tokens up to the bracket that closes the first one.
fn closed(tokens: &[String]) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i + 1;
        }
    }
    tokens.len()
}

/// The number of tokens of an item: up to a semicolon, or to the end of its braces.
fn item_end(tokens: &[String]) -> usize {
    let is_value =
        ["const", "static"].contains(&tokens[0].as_str()) && tokens.get(1).is_some_and(|t| t != "fn" && t != "unsafe");
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at].as_str() {
            ";" => return at + 1,
            "{" if !is_value => return at + closed(&tokens[at..]),
            "(" | "[" | "{" => at += closed(&tokens[at..]),
            _ => at += 1,
        }
    }
    tokens.len()
}

/// Words and signs of a source, without comments and texts.
fn tokens(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let word = rest.len() - rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = string(rest) {
            all.push("\"\"".to_string());
            length
        } else if c == '\'' {
            character(rest)
        } else if word > 0 {
            all.push(rest[..word].to_string());
            word
        } else if rest.starts_with("::") {
            all.push("::".to_string());
            2
        } else {
            if !c.is_whitespace() {
                all.push(c.to_string());
            }
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    all
}

/// The length of a text that begins here, raw or not.
fn string(rest: &str) -> Option<usize> {
    let prefix = ["br", "b", "c", "r", ""]
        .iter()
        .find(|p| rest[..rest.len().min(8)].strip_prefix(**p).is_some_and(|r| r.starts_with(['"', '#'])))?;
    let body = &rest[prefix.len()..];
    if prefix.ends_with('r') {
        let marks = body.len() - body.trim_start_matches('#').len();
        if !body[marks..].starts_with('"') {
            return None;
        }
        let end = format!("\"{}", "#".repeat(marks));
        return Some(prefix.len() + marks + 1 + body[marks + 1..].find(&end)? + end.len());
    }
    if !body.starts_with('"') {
        return None;
    }
    let mut escaped = false;
    for (i, c) in body.char_indices().skip(1) {
        match c {
            '"' if !escaped => return Some(prefix.len() + i + 1),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    Some(rest.len())
}

/// The length of a character, or the quote before a lifetime.
fn character(rest: &str) -> usize {
    let inner = &rest[1..];
    if let Some(escaped) = inner.strip_prefix('\\') {
        return 2 + escaped.char_indices().skip(1).find(|(_, c)| *c == '\'').map_or(0, |(i, _)| i) + 1;
    }
    let first = inner.chars().next().map_or(0, char::len_utf8);
    if inner[first..].starts_with('\'') { 1 + first + 1 } else { 1 }
}

/// Sets of more than one node that reach each other, the largest first.
fn strongly_connected(graph: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, HashSet<&String>> = graph
        .keys()
        .map(|from| {
            let (mut seen, mut open) = (HashSet::new(), vec![from]);
            while let Some(next) = open.pop().and_then(|at| graph.get(at)) {
                open.extend(next.iter().filter(|to| seen.insert(*to)));
            }
            (from, seen)
        })
        .collect();
    let circle = |of: &String| -> Vec<String> {
        graph.keys().filter(|x| reached[of].contains(x) && reached[x].contains(of)).cloned().collect()
    };
    let mut all: Vec<Vec<String>> = graph.keys().map(circle).filter(|circle| !circle.is_empty()).collect();
    all.sort_by_key(|circle| (usize::MAX - circle.len(), circle.clone()));
    all.dedup();
    all
}
