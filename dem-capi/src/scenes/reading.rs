//! Read access to scenes, by themselves or as parts of worlds.

use dem_core::contact::history::{Blend, Link};
use dem_core::contact::{Contact, Node};
use dem_core::detect::{KeptContact, ScenePair, SceneRef};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::world::WorldRef;

use super::{DEM_LIST_CONTACTS, DEM_LIST_MARGIN, dem_scene, dem_scene_contacts};
use crate::memory::{self as blocks, Held, Marks};

/// The list of contacts that a call uses.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    /// `DEM_LIST_CONTACTS`.
    Contacts,
    /// `DEM_LIST_MARGIN`.
    Margin,
}

impl Of {
    /// Errors: [`Kind::OutOfRange`].
    pub(crate) fn numbered(list: u32) -> Result<Of> {
        match list {
            DEM_LIST_CONTACTS => Ok(Of::Contacts),
            DEM_LIST_MARGIN => Ok(Of::Margin),
            _ => Err(Error::new(Kind::OutOfRange, What::List).amounts(DEM_LIST_MARGIN.into(), list.into())),
        }
    }

    pub(crate) fn scene(self, scene: SceneRef<'_>) -> SceneRef<'_> {
        match self {
            Of::Contacts => scene,
            Of::Margin => scene.margin(),
        }
    }
}

pub(crate) const NO_MARKS: Marks = [0; 4];

pub(crate) fn tell_contacts(scene: &SceneRef<'_>) -> dem_scene_contacts {
    let (now, last, margin) = (scene.now(), scene.last(), scene.margin());
    dem_scene_contacts {
        contacts: now.contacts().as_ptr().cast(),
        links: scene.links().as_ptr().cast(),
        count: now.contacts().len(),
        pairs: now.pairs().as_ptr().cast(),
        pair_count: now.pairs().len(),
        touch_ends: scene.touch_ends().as_ptr(),
        touches: scene.all_touches().as_ptr().cast(),
        body_count: scene.touch_ends().len(),
        last_pairs: last.pairs().as_ptr().cast(),
        last_pair_count: last.pairs().len(),
        last_contacts: last.contacts().as_ptr().cast(),
        last_features: last.features().as_ptr(),
        last_count: last.len(),
        successors: scene.successors().as_ptr(),
        blends: scene.blends().as_ptr().cast(),
        blend_count: scene.blends().len(),
        nodes: now.nodes().as_ptr().cast(),
        node_count: now.nodes().len(),
        last_nodes: last.nodes().as_ptr().cast(),
        last_node_count: last.nodes().len(),
        margin_contacts: margin.now().contacts().as_ptr().cast(),
        margin_count: margin.now().contacts().len(),
        margin_pairs: margin.now().pairs().as_ptr().cast(),
        margin_pair_count: margin.now().pairs().len(),
        margin_touch_ends: margin.touch_ends().as_ptr(),
        margin_touches: margin.all_touches().as_ptr().cast(),
        contact_stride: size_of::<Contact>(),
        pair_stride: size_of::<ScenePair>(),
        link_stride: size_of::<Link>(),
        kept_stride: size_of::<KeptContact>(),
        blend_stride: size_of::<Blend>(),
        node_stride: size_of::<Node>(),
    }
}

/// Runs `body` with a scene that it only reads.
///
/// # Safety
/// A pointer that is not null points at a scene.
pub(crate) unsafe fn with<R>(scene: *const dem_scene, body: impl FnOnce(SceneRef<'_>) -> Result<R>) -> Result<R> {
    // SAFETY: by this function's contract.
    unsafe { blocks::shared(scene.cast(), Held::Scene, What::Scene, |content, _| body(SceneRef::peek(content)?)) }
}

/// Runs `body` with a scene that it only reads, and the memory of its block. The scene may be that of a world (`dem_world_scene`).
///
/// # Safety
/// A pointer that is not null points at a scene or a world.
pub(crate) unsafe fn seen<R>(
    scene: *const dem_scene,
    body: impl FnOnce(SceneRef<'_>, blocks::Stretch) -> Result<R>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    unsafe {
        let (block, is_world) = (scene.cast(), blocks::is(scene.cast(), Held::World));
        let (held, what) = if is_world { (Held::World, What::World) } else { (Held::Scene, What::Scene) };
        let memory = blocks::stretch(block, held, what)?;
        blocks::shared(block, held, what, |content, _| {
            body(if is_world { WorldRef::peek(content)?.scene() } else { SceneRef::peek(content)? }, memory)
        })
    }
}
