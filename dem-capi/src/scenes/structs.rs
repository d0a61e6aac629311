//! Constants and structs of scenes.

use dem_core::broad::Candidate;
use dem_core::contact::history::Link;
use dem_core::detect::{KeptContact, ScenePair, Touch};

use crate::body_contacts::dem_contact;
use crate::body_contacts::{dem_contact_blend, dem_contact_link, dem_contact_node};
use crate::inputs::Input;
use crate::layouts::fixed;
use crate::records::mirrored;

/// A scene: the address of its block.
pub struct dem_scene {
    _block: [u8; 0],
}

/// The room of a scene's block.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_scene_desc {
    /// `sizeof(dem_scene_desc)`.
    pub struct_size: u32,
    /// The most bodies.
    pub bodies: u32,
    /// The most pairs of bodies whose bounds meet or, with a `skin` in the query, are near; 0: eight for each body and 1024 more.
    pub candidates: u32,
    /// The most contacts, and also the most pairs that have some; 0: four for each body and 1024 more.
    pub contacts: u32,
    /// Cell sizes, 1 to 64; 8 by default, which is good for most size ratios.
    pub levels: u32,
    /// The most pairs with their own poses (`dem_scene_find_pairs`); 0 by default: each body has one pose.
    pub posed: u32,
    /// The most nodes of contacts; 0: eight for each contact, which is enough for boxes and for meshes of some hundred triangles. Finer meshes have
    /// dozens in a contact: `dem_scene_room` estimates how many.
    pub nodes: u32,
    /// The most contacts in the list within the margin, and also the most pairs that have some (`margin` in the query); 0, the default: there is no
    /// such list.
    pub margin_contacts: u32,
}

fixed!(dem_scene_desc {
    struct_size: u32,
    bodies: u32,
    candidates: u32,
    contacts: u32,
    levels: u32,
    posed: u32,
    nodes: u32,
    margin_contacts: u32,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers.
unsafe impl Input for dem_scene_desc {
    const DEFAULT: Self = dem_scene_desc {
        struct_size: size_of::<dem_scene_desc>() as u32,
        bodies: 0,
        candidates: 0,
        contacts: 0,
        levels: 8,
        posed: 0,
        nodes: 0,
        margin_contacts: 0,
    };
}

/// Two bodies that have contacts. Both ids and the image identify the pair within a step. In the next step the image may have another number: links
/// and events of the scene tell which contacts continue.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_scene_pair {
    /// Ids of A and B. The id of A is smaller, or the same if a body meets its own image. Without ids these are the indices of the bodies.
    pub ids: [u64; 2],
    /// Index of A in the program's arrays.
    pub a: u32,
    /// Index of B.
    pub b: u32,
    /// Index of its first contact in the list.
    pub first: u32,
    /// One more than the index of its last contact.
    pub end: u32,
    /// The periodic image of B. 0, 0, 0 is the image whose bounding sphere has its centre nearest to that of A. If another image
    /// becomes the nearest, contacts continue under another number. For a body and its own image, the first number that is not 0 is positive.
    pub image: [i32; 3],
    /// How many periods B is moved along each axis to meet A.
    pub shift: [i16; 3],
    /// 0.
    pub spare: u16,
    /// The index of the pair's own poses in the library; `DEM_NO_ID` if the poses are those of the bodies.
    pub posed: u32,
    /// The smallest `least_gap` of its contacts, g of the point law; infinite if there are none.
    pub least_gap: f64,
    /// Sum of the `energy` of its contacts; 0 if the query does not ask for it.
    pub energy: f64,
}

fixed!(dem_scene_pair {
    ids: [u64; 2],
    a: u32,
    b: u32,
    first: u32,
    end: u32,
    image: [i32; 3],
    shift: [i16; 3],
    spare: u16,
    posed: u32,
    least_gap: f64,
    energy: f64,
});
mirrored!(dem_scene_pair, ScenePair: ids, a, b, first, end, image, shift, spare, posed, least_gap, energy);

/// Two bodies that are near.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dem_near_pair {
    /// The body with the smaller index; in scenes, the one with the smaller id.
    pub a: u32,
    /// The other body; equal to `a` if a body meets its own image.
    pub b: u32,
    /// How many periods B is moved along each axis to meet A; 0 along axes that are not periodic.
    pub shift: [i16; 3],
    /// 0.
    pub spare: u16,
}

fixed!(dem_near_pair { a: u32, b: u32, shift: [i16; 3], spare: u16 });
mirrored!(dem_near_pair, Candidate: a, b, shift, spare);

/// A list of contacts of a scene: those with a force, `contacts` of `dem_scene_contacts`.
pub const DEM_LIST_CONTACTS: u32 = 0;
/// The list of contacts within the margin of the query: `margin_contacts` of `dem_scene_contacts`.
pub const DEM_LIST_MARGIN: u32 = 1;

/// The data that a committed step keeps of a contact.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_scene_kept {
    /// Where the force acted.
    pub position: [f64; 3],
    /// The area of the contact.
    pub area: f64,
}

fixed!(dem_scene_kept { position: [f64; 3], area: f64 });
mirrored!(dem_scene_kept, KeptContact: position, area);

/// Pointers to the contacts found last, in the scene's block. They are valid until the next call that changes the scene (`dem_scene_detect`,
/// `dem_scene_find`, `dem_scene_commit` and others). Then take a view again, also of the new block after `dem_scene_grow`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_scene_contacts {
    /// All contacts, ordered by key: the index of the pair in `pairs`, then the features of both bodies.
    pub contacts: *const dem_contact,
    /// For each contact, the contact of the last step that it continues: indices in `last_contacts`.
    pub links: *const dem_contact_link,
    /// Number of contacts.
    pub count: usize,
    /// The pairs of bodies that have contacts, ordered by ids and image.
    pub pairs: *const dem_scene_pair,
    /// Number of pairs.
    pub pair_count: usize,
    /// For each body, the end of its contacts in `touches`. They begin at the end of the contacts of the body before.
    pub touch_ends: *const u32,
    /// The contacts of each body: first those in which it is A, as 2 i for contact i; then those in which it is B, as 2 i + 1. There are
    /// twice as many items as contacts.
    pub touches: *const u32,
    /// Number of bodies.
    pub body_count: usize,
    /// The pairs of the committed step, to which `links` refer, ordered by ids and image.
    pub last_pairs: *const dem_scene_pair,
    /// Number of these pairs.
    pub last_pair_count: usize,
    /// The contacts of the committed step, with the data that it keeps.
    pub last_contacts: *const dem_scene_kept,
    /// The second half of the key of each of these contacts.
    pub last_features: *const u64,
    /// Number of these contacts.
    pub last_count: usize,
    /// For each contact of the last step, the index in `contacts` of the contact that continues it; `DEM_NO_ID` if it ended.
    pub successors: *const u32,
    /// For contacts that take over several springs: which springs, and how much of each; indices in `contacts` and `last_contacts`.
    pub blends: *const dem_contact_blend,
    /// Number of blends.
    pub blend_count: usize,
    /// The nodes of `contacts`, ordered by pair and features. The list has the nodes of all contacts of a pair, or none of them: then each contact of
    /// the pair is one node.
    pub nodes: *const dem_contact_node,
    /// Number of nodes.
    pub node_count: usize,
    /// The nodes of `last_contacts`, likewise.
    pub last_nodes: *const dem_contact_node,
    /// Number of these nodes.
    pub last_node_count: usize,
    /// The contacts within the margin: the contacts for a sum of both halos that is larger by `margin` of the query. Without a margin there are none.
    /// They are not matched with contacts of the last step.
    pub margin_contacts: *const dem_contact,
    /// Number of these contacts.
    pub margin_count: usize,
    /// Their pairs of bodies, with ids, images and order as in `pairs`. All pairs of `pairs` are among them.
    pub margin_pairs: *const dem_scene_pair,
    /// Number of these pairs.
    pub margin_pair_count: usize,
    /// As `touch_ends`, in `margin_touches`.
    pub margin_touch_ends: *const u32,
    /// As `touches`, for contacts within the margin.
    pub margin_touches: *const u32,
    /// Bytes from one contact to the next, in every list of contacts here: `sizeof(dem_contact)` of the library that runs. This library may be newer
    /// than the header.
    pub contact_stride: usize,
    /// Bytes from one pair to the next.
    pub pair_stride: usize,
    /// Bytes from one link to the next.
    pub link_stride: usize,
    /// Bytes from one record of a committed contact to the next.
    pub kept_stride: usize,
    /// Bytes from one blend to the next.
    pub blend_stride: usize,
    /// Bytes from one node to the next.
    pub node_stride: usize,
}

fixed!(dem_scene_contacts {
    contacts: *const dem_contact,
    links: *const dem_contact_link,
    count: usize,
    pairs: *const dem_scene_pair,
    pair_count: usize,
    touch_ends: *const u32,
    touches: *const u32,
    body_count: usize,
    last_pairs: *const dem_scene_pair,
    last_pair_count: usize,
    last_contacts: *const dem_scene_kept,
    last_features: *const u64,
    last_count: usize,
    successors: *const u32,
    blends: *const dem_contact_blend,
    blend_count: usize,
    nodes: *const dem_contact_node,
    node_count: usize,
    last_nodes: *const dem_contact_node,
    last_node_count: usize,
    margin_contacts: *const dem_contact,
    margin_count: usize,
    margin_pairs: *const dem_scene_pair,
    margin_pair_count: usize,
    margin_touch_ends: *const u32,
    margin_touches: *const u32,
    contact_stride: usize,
    pair_stride: usize,
    link_stride: usize,
    kept_stride: usize,
    blend_stride: usize,
    node_stride: usize,
});

const _: () = assert!(size_of::<Touch>() == 4 && size_of::<Link>() == size_of::<dem_contact_link>());
