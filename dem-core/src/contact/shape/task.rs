//! What a rule for two parts works with.

use super::triangle_list::Runs;
use crate::contact::Room;
use crate::contact::spread::Wants;
use crate::exec::Work;
use crate::narrow::From;

/// What rules work with.
pub(super) struct Task<'s> {
    pub work: Work<'s>,
    pub room: Room,
    /// Length by which the sum of both halos is enlarged.
    pub margin: f64,
    /// How far from the origin the bodies' positions are at most along an axis.
    pub far: f64,
    /// The optional fields of contacts.
    pub wants: Wants,
    /// Where triangles are near, if that was listed.
    pub listed: Option<Runs<'s>>,
    /// Where the search of two meshes begins.
    pub from: From<'s>,
}
