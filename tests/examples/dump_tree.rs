//! Builds a surrogate tree and writes it as JSON for `tests/data/surrogate/verify_tree.py`.
//!
//! `cargo run -p dem-tests --example dump_tree -- FILE [fast|default|best|published|monotone] [HALO] > tree.json`

use dem_core::mesh::{Halo, MeshRef};
use dem_core::simd::Isa;
use dem_core::surrogate::{Cover, Options, Preset, TreeRef};
use dem_std::files;
use dem_tests::tree::{dump, mesh_block, tree_block};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which file?")?;
    let options = match arguments.next().as_deref() {
        None | Some("default") => Options::default(),
        Some("fast") => Options::preset(Preset::Fast),
        Some("best") => Options::preset(Preset::Best),
        Some("published") => Options::published(),
        Some("monotone") => Options { cover: Cover::Monotone, ..Options::default() },
        Some(other) => return Err(format!("no options called {other}").into()),
    };
    let halo = arguments.next().map_or(Ok(0.0), |halo| halo.parse())?;
    let triangles = files::read(&file)?;
    let soup: Vec<_> = (0..triangles.len()).map(|i| triangles.triangle(i)).collect();
    let mesh = mesh_block(&soup, Halo::Uniform(halo))?;
    let mesh = MeshRef::open(&mesh)?;
    let tree = tree_block(&mesh, &options, Isa::best())?;
    println!("{}", dump(&mesh, &TreeRef::open(&tree)?));
    Ok(())
}
