//! The data of a rule for two parts.

use super::triangle_list::Runs;
use crate::contact::Room;
use crate::contact::spread::Wants;
use crate::exec::Work;
use crate::narrow::From;

/// The common data of rules.
pub(super) struct Task<'s> {
    pub work: Work<'s>,
    pub room: Room,
    /// Length by which the sum of both halos is enlarged.
    pub margin: f64,
    /// Largest distance of the bodies' positions from the origin along an axis.
    pub far: f64,
    /// The optional fields of contacts.
    pub wants: Wants,
    /// The runs of near triangles, if a list is given.
    pub listed: Option<Runs<'s>>,
    /// Start of the search of two meshes.
    pub from: From<'s>,
}
