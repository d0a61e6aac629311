//! The measure: from near triangle pairs to the terms of each face in each cell, and from terms to a short list of contacts.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `query` | sides of a query, room of its scratch, numbers of results |
//! | `face` | one face in one cell: the sides that cut it, and its integrals |
//! | `single` | one face in one cell, without batching |
//! | `clip` | many triangles clipped and integrated at once |
//! | `energy` | the energy of a face in a cell, if it is requested |
//! | `second_moments` | second moments of a face in a cell, if they are requested |
//! | `posed_faces` | the faces of one mesh in the frame of the other's cells |
//! | `terms` | all faces of one mesh in the cells of the other |
//! | `queues`, `term` | queues of faces to be clipped, in order; sums of their integrals |
//! | `two_sided` | the faces of each body in the cells of the other one, on all threads |
//! | `mesh_contacts` | contacts of two meshes, from near triangle pairs |
//! | `term_order` | terms in the order of patches |
//! | `reduce`, `node_sums` | terms to contacts: terms grouped by contact, and their sums |

pub(in crate::contact) mod clip;
pub(in crate::contact) mod energy;
pub(in crate::contact) mod face;
pub(in crate::contact) mod mesh_contacts;
pub(in crate::contact) mod node_sums;
pub(in crate::contact) mod posed_faces;
pub(in crate::contact) mod query;
pub(in crate::contact) mod queues;
pub(in crate::contact) mod reduce;
pub(in crate::contact) mod second_moments;
pub(in crate::contact) mod single;
pub(in crate::contact) mod term;
pub(in crate::contact) mod term_order;
pub(in crate::contact) mod terms;
pub(in crate::contact) mod two_sided;
