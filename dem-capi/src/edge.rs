//! Entry and exit of every C function: floating-point environment, panics, and the report of errors.

use dem_core::error::{Error, Kind, Result, What};

use crate::errors::{DEM_OK, dem_error, dem_shortage};
use crate::fpenv::Environment;

/// Runs the body of a C function in the default floating-point environment, and catches panics. Returns the outcome as a status, and writes it
/// to `error`, which may be null.
pub(crate) fn call<R: Into<Status>>(error: *mut dem_error, body: impl FnOnce() -> Result<R>) -> i32 {
    telling(error, |_| body())
}

/// As [`call`], for a body that can report all room that was too small.
pub(crate) fn telling<R: Into<Status>>(
    error: *mut dem_error,
    body: impl FnOnce(&mut dem_shortage) -> Result<R>,
) -> i32 {
    let mut short_of = dem_shortage::default();
    let done = guarded(|| body(&mut short_of).map(Into::into));
    report(error, done, &short_of)
}

/// Writes the outcome to `error` and returns the status.
#[inline(never)] // Otherwise the large record would be on the stack while the body runs.
fn report(error: *mut dem_error, done: Result<Status>, short_of: &dem_shortage) -> i32 {
    let (status, mut report) = match done {
        Ok(Status(status)) => (status, dem_error::default()),
        Err(e) => (e.kind as i32, e.into()),
    };
    if status == Kind::Capacity as i32 {
        report.short_of = *short_of;
    }
    // SAFETY: every C function's caller guarantees an `error` that is not null.
    unsafe { write_optional(error, report) };
    status
}

/// As [`call`], for a function with one body, which the core calls A.
pub(crate) fn call_of_body(error: *mut dem_error, body: impl FnOnce() -> Result<()>) -> i32 {
    call(error, || body().map_err(of_body))
}

/// Renames the error of a function with one body: the core calls this body A.
fn of_body(e: Error) -> Error {
    let what = match e.what {
        What::ShapeA => What::Body,
        What::BodyMeshA => What::Shape,
        What::CellsA => What::Cells,
        What::BodyPoseA => What::BodyPose,
        what => what,
    };
    Error { what, ..e }
}

/// The status of a call that succeeded: `DEM_OK`, or a positive number that informs.
pub(crate) struct Status(pub(crate) i32);

impl From<()> for Status {
    fn from((): ()) -> Status {
        Status(DEM_OK)
    }
}

#[cfg(not(feature = "freestanding"))]
fn guarded(body: impl FnOnce() -> Result<Status>) -> Result<Status> {
    // The body can only leave a block of the caller half-changed, and the latch marks this block as poisoned.
    let body = std::panic::AssertUnwindSafe(|| isolated(body));
    std::panic::catch_unwind(body).unwrap_or_else(|payload| {
        // Dropping the payload could panic again.
        core::mem::forget(payload);
        Err(Error::new(Kind::Panic, What::None))
    })
}

#[cfg(feature = "freestanding")]
fn guarded(body: impl FnOnce() -> Result<Status>) -> Result<Status> {
    isolated(body)
}

fn isolated(body: impl FnOnce() -> Result<Status>) -> Result<Status> {
    let _restored_when_left = Environment::enter();
    inner(body)
}

/// Out of line, so that no arithmetic moves to before the change of environment.
#[inline(never)]
fn inner(body: impl FnOnce() -> Result<Status>) -> Result<Status> {
    body()
}

/// Reads the value behind a pointer from C, at any alignment.
///
/// # Safety
/// A pointer that is not null points at a `T` that can be read.
pub(crate) unsafe fn read<T: Copy>(from: *const T, what: What) -> Result<T> {
    if from.is_null() {
        return Err(Error::new(Kind::Null, what));
    }
    // SAFETY: by this function's contract.
    Ok(unsafe { from.read_unaligned() })
}

/// Writes a value through a pointer from C, at any alignment.
///
/// # Safety
/// A pointer that is not null points at memory for a `T`.
pub(crate) unsafe fn write<T: Copy>(to: *mut T, value: T, what: What) -> Result<()> {
    if to.is_null() {
        return Err(Error::new(Kind::Null, what));
    }
    // SAFETY: by this function's contract.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Writes a value through a pointer from C, unless it is null.
///
/// # Safety
/// As for `write`.
pub(crate) unsafe fn write_optional<T: Copy>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: by this function's contract.
        unsafe { to.write_unaligned(value) };
    }
}

#[cfg(all(test, not(feature = "freestanding")))]
mod tests {
    use super::*;
    use crate::errors::{DEM_ERROR_CAPACITY, DEM_ERROR_PANIC};

    #[test]
    fn outcomes_become_statuses() {
        let mut error = dem_error { code: 7, ..dem_error::default() };
        assert_eq!(call(&mut error, || Ok(())), DEM_OK);
        assert_eq!(error, dem_error::default());
        let refused = || Err::<(), Error>(Error::capacity(What::Scratch, 10, 9).at(3, 2));
        assert_eq!(call(&mut error, refused), DEM_ERROR_CAPACITY);
        let expected = dem_error {
            code: DEM_ERROR_CAPACITY,
            argument: What::Scratch as u32,
            index: 3,
            component: 2,
            reserved: 0,
            needed: 10,
            given: 9,
            short_of: dem_shortage::default(),
        };
        assert_eq!(error, expected);
        assert_eq!(call(core::ptr::null_mut(), refused), DEM_ERROR_CAPACITY);
    }

    #[test]
    fn a_panic_becomes_a_status() {
        let mut error = dem_error::default();
        let panics = || -> Result<()> { std::panic::resume_unwind(Box::new(1)) };
        assert_eq!(call(&mut error, panics), DEM_ERROR_PANIC);
        assert_eq!(error.code, DEM_ERROR_PANIC);
    }
}
