//! Works and energies of steps, and what they leave over.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Works of a step or a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct StepWorks {
    /// Of contacts and loads on dynamic bodies.
    pub wrenches: f64,
    pub gravity: f64,
    /// Of loads alone.
    pub loads: f64,
    /// What bodies that no force moves do at contacts by their velocities, and vertices by theirs.
    pub driven: f64,
    /// By how much the free rotation of bodies with different moments changes the kinetic energy.
    pub rotation: f64,
}

impl StepWorks {
    pub fn and(self, next: &StepWorks) -> StepWorks {
        StepWorks {
            wrenches: self.wrenches + next.wrenches,
            gravity: self.gravity + next.gravity,
            loads: self.loads + next.loads,
            driven: self.driven + next.driven,
            rotation: self.rotation + next.rotation,
        }
    }

    /// Kinetic energy gained other than from gravity, plus what damping and friction took, less what loads and driven bodies gave. What normal forces have stored is still to be added; the rest came from nowhere.
    pub fn left_over(&self, taken: f64) -> f64 {
        self.wrenches + self.rotation - self.loads - self.driven + taken
    }
}

/// What steps have left over whose energies are not all known yet: what normal forces have stored at the end of a step is told by the contacts of the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Balance {
    /// What normal forces had stored as the last step with records of all contacts began.
    stored: f64,
    /// Sum of [`StepWorks::left_over`] from that step on.
    open: f64,
    /// 1 where there was such a step, and contacts have only changed by steps since.
    known: u64,
}

impl Balance {
    /// A step with records of all contacts, which stored so much as it began. Gives the spurious energy of the steps from the last such step on; 0 where it is not known.
    pub fn close(&mut self, stored: f64, left_over: f64) -> f64 {
        let spurious = if self.known != 0 { self.open + (stored - self.stored) } else { 0.0 };
        *self = Balance { stored, open: left_over, known: 1 };
        spurious
    }

    /// A step without records of all contacts.
    pub fn go_on(&mut self, left_over: f64) {
        self.open += left_over;
    }

    /// The host has changed what contacts store.
    pub fn forget(&mut self) {
        self.known = 0;
    }
}
