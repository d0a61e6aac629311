//! Works and energies of steps, and their balance.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Works of a step or a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct StepWorks {
    /// Work of contacts and loads on dynamic bodies.
    pub wrenches: f64,
    pub gravity: f64,
    /// Work of loads alone.
    pub loads: f64,
    /// Work at contacts by the velocities of bodies that no force moves, and by those of vertices.
    pub driven: f64,
    /// Change of kinetic energy by the free rotation of bodies with different moments.
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

    /// Kinetic energy gained other than from gravity, plus the energy taken by damping and friction, less the energy given by loads and driven
    /// bodies. The growth of energy stored by normal forces is still to be added; the sum is spurious.
    pub fn left_over(&self, taken: f64) -> f64 {
        self.wrenches + self.rotation - self.loads - self.driven + taken
    }
}

/// The balance of steps whose energies are not all known yet. Only the contacts of the next step give the energy that normal forces have stored
/// at the end of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Balance {
    /// Energy stored by normal forces at the start of the last step with records of all contacts.
    stored: f64,
    /// Sum of [`StepWorks::left_over`] since the start of that step.
    open: f64,
    /// 1 if there was such a step, and only steps have changed contacts since.
    known: u64,
}

impl Balance {
    /// Called for a step with records of all contacts, with the energy stored at its start. Returns the spurious energy since the last such step;
    /// 0 if it is not known.
    pub fn close(&mut self, stored: f64, left_over: f64) -> f64 {
        let spurious = if self.known != 0 { self.open + (stored - self.stored) } else { 0.0 };
        *self = Balance { stored, open: left_over, known: 1 };
        spurious
    }

    /// Called for a step without records of all contacts.
    pub fn go_on(&mut self, left_over: f64) {
        self.open += left_over;
    }

    /// Called when the host changes the energy that contacts store.
    pub fn forget(&mut self) {
        self.known = 0;
    }
}
