//! The files of a crate import from files below them: circles of imports are told, and only those that are listed here may be.
//!
//! A file imports another one if its code names an item of it: by `use`, or by a path such as `super::step::Step`. In macros, all words count that may be paths.
//! Re-exports lead to the file that defines the item, tests do not count, and neither do methods, which nobody imports.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, Macro, Meta, PatIdent, UseTree, Visibility};

/// Files of circles that are left in the core, and why. The list may only become shorter.
const CORE: &[&[&str]] = &[
    // A token names its lanes as associated types, and each lane its token.
    &["simd/x86.rs", "simd/x86/sse2.rs", "simd/x86/wide.rs"],
];

#[test]
fn files_of_the_core_import_from_below() {
    assert_eq!(circles("dem-core/src"), listed(CORE));
}

#[test]
fn files_of_the_c_interface_import_from_below() {
    assert_eq!(circles("dem-capi/src"), listed(&[]));
}

/// A module that lists its files in a table has them all under their names.
#[test]
fn tables_of_files_name_files() {
    let mut rows = 0;
    for sources in ["dem-core/src", "dem-capi/src", "dem-std/src"] {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(sources);
        for file in files(&sources) {
            let Some(folder) = file.parent().filter(|_| file.ends_with("mod.rs")) else { continue };
            let text = read_to_string(&file).unwrap();
            let table = text.lines().skip_while(|line| !line.starts_with("//! | file |"));
            for row in table.take_while(|line| line.starts_with("//! |")) {
                for name in row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2) {
                    let found = folder.join(name).exists() || folder.join(format!("{name}.rs")).exists();
                    assert!(found, "{}: {name}", file.display());
                    rows += 1;
                }
            }
        }
    }
    assert!(rows > 200, "{rows}");
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

/// All files in a folder and below.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
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
        let source = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let file = path.strip_prefix(&self.sources).unwrap().to_str().unwrap().replace('\\', "/");
        let is_root = ["lib.rs", "mod.rs"].contains(&path.file_name().unwrap().to_str().unwrap());
        let folder = if is_root { path.parent().unwrap().to_path_buf() } else { path.with_extension("") };
        self.items(name, &file, &source.items, &folder);
    }

    /// The items of a module.
    fn items(&mut self, name: Name, file: &str, items: &[Item], folder: &Path) {
        let mut module = Module { file: file.to_string(), ..Module::default() };
        for item in items.iter().filter(|item| !attributes(item).iter().any(is_test)) {
            match item {
                Item::Use(item) => module.import(item),
                Item::Mod(item) => {
                    let own = item.ident.to_string();
                    let inner = Vec::from_iter(name.iter().cloned().chain([own.clone()]));
                    match &item.content {
                        None => self.read(inner, module_file(folder, &own)),
                        Some((_, items)) => self.items(inner, file, items, &folder.join(&own)),
                    }
                    module.items.insert(own);
                }
                item => {
                    module.items.extend(defined(item));
                    module.visit_item(item);
                }
            }
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
    fn import(&mut self, item: &ItemUse) {
        let mut all = Vec::new();
        branches(&item.tree, &Name::new(), &mut all);
        for (name, path) in all {
            if name == "*" {
                self.globs.push(path);
                continue;
            }
            if !matches!(item.vis, Visibility::Inherited) {
                self.handed_on.insert(name.clone());
            }
            self.imports.insert(name, path);
        }
    }

    /// All words of a macro that may be paths: what is behind a dot is a field or a method.
    fn words(&mut self, tokens: TokenStream) {
        let (mut path, mut before) = (Name::new(), String::new());
        for token in tokens {
            let text = match token {
                TokenTree::Group(group) => {
                    self.words(group.stream());
                    String::new()
                }
                TokenTree::Ident(word) if before == "::" => {
                    path.push(word.to_string());
                    String::new()
                }
                TokenTree::Ident(word) => {
                    self.paths.extend(Some(std::mem::take(&mut path)).filter(|path| !path.is_empty()));
                    path.extend(Some(word.to_string()).filter(|_| before != "."));
                    String::new()
                }
                TokenTree::Punct(sign) if sign.as_char() == ':' && before == ":" => "::".to_string(),
                other => other.to_string(),
            };
            before = text;
        }
        self.paths.extend(Some(path).filter(|path| !path.is_empty()));
    }
}

impl<'ast> Visit<'ast> for Module {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.paths.push(path.segments.iter().map(|part| part.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    // A constant, perhaps.
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.paths.push(vec![pattern.ident.to_string()]);
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let mut all = Vec::new();
        branches(&item.tree, &Name::new(), &mut all);
        self.paths.extend(all.into_iter().map(|(_, path)| path));
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        self.words(called.tokens.clone());
        visit::visit_macro(self, called);
    }

    // Derived traits and the like are not of the crate.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

/// Names that a tree of imports has behind a path, and where they lead; `*` is all names of a module.
fn branches(tree: &UseTree, stem: &Name, all: &mut Vec<(String, Name)>) {
    let with = |name: String| Vec::from_iter(stem.iter().cloned().chain([name]));
    let own = stem.last().cloned().unwrap_or_default();
    match tree {
        UseTree::Path(path) => branches(&path.tree, &with(path.ident.to_string()), all),
        UseTree::Group(group) => group.items.iter().for_each(|tree| branches(tree, stem, all)),
        UseTree::Glob(_) => all.push(("*".to_string(), stem.clone())),
        UseTree::Name(name) if name.ident == "self" => all.push((own, stem.clone())),
        UseTree::Name(name) => all.push((name.ident.to_string(), with(name.ident.to_string()))),
        UseTree::Rename(name) if name.ident == "self" => all.push((name.rename.to_string(), stem.clone())),
        UseTree::Rename(name) => all.push((name.rename.to_string(), with(name.ident.to_string()))),
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether it leaves an item to tests.
fn is_test(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    let condition = list.tokens.to_string().replace(' ', "");
    list.path.is_ident("cfg") && condition.contains("test") && !condition.contains("not(test")
}

/// Names that an item defines; those of a macro stand behind words such as `struct`.
fn defined(item: &Item) -> Vec<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Macro(item) => match &item.ident {
            Some(own) => own,
            None => return in_macro(item.mac.tokens.clone()),
        },
        _ => return Vec::new(),
    };
    vec![name.to_string()]
}

fn in_macro(tokens: TokenStream) -> Vec<String> {
    const KINDS: [&str; 8] = ["struct", "enum", "union", "trait", "type", "fn", "const", "static"];
    let (mut names, mut before) = (Vec::new(), String::new());
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            names.extend(in_macro(group.stream()));
        }
        let text = token.to_string();
        if KINDS.contains(&before.as_str()) {
            names.push(text.clone());
        }
        before = text;
    }
    names
}

fn module_file(folder: &Path, name: &str) -> PathBuf {
    let own = folder.join(format!("{name}.rs"));
    if own.exists() { own } else { folder.join(name).join("mod.rs") }
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
