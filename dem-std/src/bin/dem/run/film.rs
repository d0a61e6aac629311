//! The frames that the page shows. They are stored in a file next to it, so that the page of a resumed run begins with the first frame.

use super::output::failed;
use crate::failure::Failure;
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::world::WorldRef;
use dem_std::page::Mark;
use std::fs;
use std::io::Write;
use std::path::Path;

/// One frame of the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shot {
    pub number: u64,
    pub time: f64,
    pub energies: [f64; ENERGIES],
    pub bodies: Vec<Seen>,
    pub marks: Vec<Mark>,
}

/// Number of energies in the plots.
pub const ENERGIES: usize = 7;

/// A body of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    pub id: u64,
    pub shape: u32,
    pub scale: f64,
    pub pose: Pose,
}

impl Shot {
    /// The visible state of the world.
    pub fn new(number: u64, time: f64, energies: [f64; ENERGIES], view: &WorldRef<'_>) -> Self {
        let mut bodies = Vec::new();
        let columns = view.bodies().iter().zip(view.ids()).zip(view.shapes().iter().zip(view.scales()));
        for (slot, ((body, id), (shape, scale))) in columns.enumerate() {
            if view.handle(slot).is_some() {
                bodies.push(Seen { id: *id, shape: *shape, scale: *scale, pose: body.pose() });
            }
        }
        let scene = view.scene();
        let marks = scene.now().contacts().iter().zip(view.acts()).map(|(c, act)| Mark {
            position: c.position,
            normal: c.normal,
            area: c.area,
            value: act.force.iter().map(|x| x * x).sum::<f64>().sqrt(),
        });
        Shot { number, time, energies, bodies, marks: marks.collect() }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut words = vec![0, self.number, self.time.to_bits(), self.bodies.len() as u64, self.marks.len() as u64];
        words.extend(self.energies.map(f64::to_bits));
        for seen in &self.bodies {
            let Pose { position, orientation } = seen.pose;
            words.extend([seen.id, u64::from(seen.shape), seen.scale.to_bits()]);
            words.extend(position.iter().chain(&orientation).map(|x| x.to_bits()));
        }
        for mark in &self.marks {
            let [x, y, z] = mark.position;
            let [a, b, c] = mark.normal;
            words.extend([x, y, z, a, b, c, mark.area, mark.value].map(f64::to_bits));
        }
        let length = 8 * words.len() as u64;
        if let Some(first) = words.first_mut() {
            *first = length;
        }
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    /// A frame, and the bytes after it; none if it is truncated.
    fn from_bytes(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let length = usize::try_from(u64::from_le_bytes(*bytes.first_chunk()?)).ok()?;
        let (own, rest) = bytes.split_at_checked(length)?;
        let mut words =
            own.chunks_exact(8).filter_map(|word| word.first_chunk()).map(|w| u64::from_le_bytes(*w)).skip(1);
        let mut word = || words.next();
        let mut made = Shot { number: word()?, time: f64::from_bits(word()?), ..Shot::default() };
        let [bodies, marks] = [word()?, word()?];
        let mut number = || word().map(f64::from_bits);
        for energy in &mut made.energies {
            *energy = number()?;
        }
        for _ in 0..bodies {
            let (id, shape) = (number()?.to_bits(), number()?.to_bits() as u32);
            let scale = number()?;
            let position = [number()?, number()?, number()?];
            let orientation = [number()?, number()?, number()?, number()?];
            made.bodies.push(Seen { id, shape, scale, pose: Pose { position, orientation } });
        }
        for _ in 0..marks {
            let position = [number()?, number()?, number()?];
            let normal = [number()?, number()?, number()?];
            made.marks.push(Mark { position, normal, area: number()?, value: number()? });
        }
        Some((made, rest))
    }
}

/// Frames of the file up to number `last`, in order; later bytes are cut off. A missing file has no frames.
pub fn shots_up_to(path: &Path, last: u64) -> Result<Vec<Shot>, Failure> {
    let bytes = match fs::read(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        read => read.map_err(|e| failed(path, &e))?,
    };
    let (mut rest, mut all) = (bytes.as_slice(), Vec::<Shot>::new());
    while let Some((shot, after)) = Shot::from_bytes(rest) {
        if shot.number > last || all.last().is_some_and(|before| before.number >= shot.number) {
            break;
        }
        all.push(shot);
        rest = after;
    }
    let kept = bytes.len() - rest.len();
    let file = fs::OpenOptions::new().write(true).create(true).truncate(false).open(path);
    file.and_then(|file| file.set_len(kept as u64)).map_err(|e| failed(path, &e))?;
    Ok(all)
}

/// Appends a frame to the file.
pub fn append(path: &Path, shot: &Shot) -> Result<(), Failure> {
    let file = fs::OpenOptions::new().append(true).open(path);
    file.and_then(|mut file| file.write_all(&shot.to_bytes())).map_err(|e| failed(path, &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shots_are_kept_and_cut_ones_left_away() {
        let seen = |id| Seen { id, shape: 3, scale: 0.5, pose: Pose { position: [1.0, 2.0, 3.0], ..Pose::IDENTITY } };
        let mark = Mark { position: [4.0; 3], normal: [0.0, 0.0, 1.0], area: 2.0, value: 9.0 };
        let shot = |number| Shot {
            number,
            time: 0.5,
            energies: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, f64::INFINITY],
            bodies: vec![seen(u64::MAX), seen(number)],
            marks: vec![mark; number as usize],
        };
        let path = std::env::temp_dir().join(format!("dem-film-{}", std::process::id()));
        let all: Vec<u8> = (0..4).flat_map(|n| shot(n).to_bytes()).collect();
        for (bytes, last, many) in [(&all[..], 9, 4), (&all[..all.len() - 1], 9, 3), (&all[..], 1, 2), (&[][..], 1, 0)]
        {
            let read = fs::write(&path, bytes).map(|()| shots_up_to(&path, last));
            assert_eq!(read.ok().and_then(|read| read.ok()), Some((0..many).map(shot).collect::<Vec<_>>()));
            let left: usize = (0..many).map(|n| shot(n).to_bytes().len()).sum();
            assert_eq!(fs::metadata(&path).map(|m| m.len()).ok(), Some(left as u64));
        }
        _ = fs::remove_file(path);
    }
}
