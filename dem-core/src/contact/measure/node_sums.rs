//! Sums of terms, in the frames of cells, and of enclosed parts, for several contacts in lanes.

use super::clip::{COLUMNS, Row, load3};
use super::posed_faces::turned as turned_lanes;
use super::term::{Sum, Term};
use crate::contact::Contact;
use crate::contact::lean::NodeLean;
use crate::contact::penetration::Enclosed;
use crate::contact::record::{force, pressure, status};
use crate::contact::regions::flats;
use crate::contact::spread::{Gathered, Plane, Tensor, times, turned};
use crate::pose::Transform;
use crate::real::{Real, min};
use crate::simd::{Lane, Mask};
use crate::vector::{add, cross, dot, scale, sub};

/// The frame of the cells of one half, relative to the midpoint of both positions.
#[derive(Clone, Copy)]
pub(in crate::contact) struct Seen {
    pub turn: Transform,
    /// Scale of the cells' mesh; terms are in its unscaled units.
    pub scale: f64,
    pub half: [f64; 3],
    /// 1 if the cells are B's, -1 if they are A's: forces are those on A.
    pub sign: f64,
}

/// The data common to all contacts of a list.
#[derive(Clone, Copy)]
pub(in crate::contact) struct Common {
    /// The caller's tag: the first half of the key.
    pub tag: u64,
    /// The midpoint of both positions.
    pub middle: [f64; 3],
    /// The sum of both halos, if it is the same everywhere.
    pub halo: Option<f64>,
    /// Whether second moments are requested.
    pub spread: bool,
}

/// Sums over faces in cells.
#[derive(Clone, Copy)]
struct Sums<T> {
    area: T,
    pressure: T,
    /// `sum S T`.
    halo: T,
    first: [T; 3],
    force: [T; 3],
    torque: [T; 3],
    least_gap: T,
    energy: T,
}

impl Sums<Row> {
    const NONE: Sums<Row> = {
        let zero = [0.0; COLUMNS];
        let three = [zero; 3];
        let least_gap = [f64::INFINITY; COLUMNS];
        Sums {
            area: zero,
            pressure: zero,
            halo: zero,
            first: three,
            force: three,
            torque: three,
            least_gap,
            energy: zero,
        }
    };

    #[inline(always)]
    fn load<L: Lane<Scalar = f64>>(&self, simd: L::Simd, at: usize) -> Sums<L> {
        Sums {
            area: L::load(simd, &self.area, at),
            pressure: L::load(simd, &self.pressure, at),
            halo: L::load(simd, &self.halo, at),
            first: load3(simd, &self.first, at),
            force: load3(simd, &self.force, at),
            torque: load3(simd, &self.torque, at),
            least_gap: L::load(simd, &self.least_gap, at),
            energy: L::load(simd, &self.energy, at),
        }
    }

    /// The sums of terms, transposed to rows.
    #[inline(always)]
    fn of(terms: &[Sum; COLUMNS]) -> Self {
        Sums {
            area: row(terms, |term| term.area),
            pressure: row(terms, |term| term.pressure),
            halo: row(terms, |term| term.halo),
            first: [0, 1, 2].map(|k| row(terms, |term| term.first[k])),
            force: [0, 1, 2].map(|k| row(terms, |term| term.force[k])),
            torque: [0, 1, 2].map(|k| row(terms, |term| term.torque[k])),
            least_gap: row(terms, |term| term.least_gap),
            energy: row(terms, |term| term.energy),
        }
    }
}

/// One number of each term.
#[inline(always)]
fn row(terms: &[Sum; COLUMNS], of: impl Fn(&Sum) -> f64) -> Row {
    let mut row = [0.0; COLUMNS];
    for (to, term) in row.iter_mut().zip(terms) {
        *to = of(term);
    }
    row
}

impl<L: Lane<Scalar = f64>> Sums<L> {
    /// Converts from the cells' frame and units to the world's, about the midpoint.
    #[inline(always)]
    fn seen(&self, simd: L::Simd, by: &Seen) -> Self {
        let (length, sign) = (L::splat(simd, by.scale), L::splat(simd, by.sign));
        let area = length * length;
        let volume = area * length;
        let half = [L::splat(simd, by.half[0]), L::splat(simd, by.half[1]), L::splat(simd, by.half[2])];
        let pressure = self.pressure * area;
        let (mut first, mut force, mut torque) = (self.first, self.force, self.torque);
        for k in 0..3 {
            (first[k], force[k], torque[k]) = (first[k] * volume, force[k] * area, torque[k] * volume);
        }
        (first, force, torque) = (
            turned_lanes(simd, &by.turn.rows, first),
            turned_lanes(simd, &by.turn.rows, force),
            turned_lanes(simd, &by.turn.rows, torque),
        );
        for force in &mut force {
            *force = *force * sign;
        }
        let moved = cross(half, force);
        for k in 0..3 {
            torque[k] = torque[k] * sign + moved[k];
            first[k] = first[k] + half[k] * pressure;
        }
        let (least_gap, halo) = (self.least_gap * length, self.halo * volume);
        let energy = self.energy * volume;
        Sums { area: self.area * area, pressure, halo, first, force, torque, least_gap, energy }
    }
}

/// Second moments of the pressures of both halves about their centres, and first moments of their areas. They are stored in the record until the
/// record is written, because they would take too much stack.
#[derive(Clone, Copy)]
struct Kept {
    halves: [(Tensor, [f64; 3]); 2],
}

impl Kept {
    fn of(c: &Contact) -> Self {
        let ([a, b, d], [e, f, g], even) = (c.position, c.normal, c.moment);
        Kept { halves: [([a, b, d, e, f, g], even), (c.spread, c.offset)] }
    }

    fn put(&self, to: &mut Contact) {
        let [([a, b, d, e, f, g], even), (spread, offset)] = self.halves;
        (to.position, to.normal, to.moment) = ([a, b, d], [e, f, g], even);
        (to.spread, to.offset) = (spread, offset);
    }

    fn half(&mut self, half: usize) -> (&mut Tensor, &mut [f64; 3]) {
        let (second, even) = &mut self.halves[half & 1];
        (second, even)
    }
}

/// Sums over the enclosed parts of a contact.
#[derive(Clone, Copy)]
struct Lean {
    /// [`Enclosed::turns`] times pressures.
    turns: Tensor,
    /// [`Enclosed::lost`] times forces.
    lost: f64,
}

impl Lean {
    const NONE: Lean = Lean { turns: [0.0; 6], lost: 0.0 };

    /// Writes what is kept until nodes are joined.
    #[inline(never)]
    fn put(&self, spread: bool, contact: &mut Contact) {
        if self.lost <= 0.0 && self.turns == [0.0; 6] {
            return;
        }
        let (mut turns, lost) = ([0.0; 3], self.lost / force(contact));
        if spread {
            let (plane, pressure) = (Plane::across(contact.normal), pressure(contact));
            let [[uu, uv], [_, vv]] = plane.axes.map(|axis| plane.of(times(&self.turns, axis)));
            turns = [uu, uv, vv].map(|x| x / pressure);
        }
        if turns.iter().chain(&[lost]).all(|x| Real::is_finite(*x)) {
            NodeLean { turns, lost }.put(contact);
        }
    }
}

/// The sums of several contacts, one in each column.
pub(in crate::contact) struct Totals {
    /// First in the cells of B, then in the cells of A.
    halves: [[Sum; COLUMNS]; 2],
    patches: [u64; COLUMNS],
    /// Enclosed parts, in the world's frame.
    enclosed: Sums<Row>,
    /// Sums of areas times depths.
    deep: Row,
    /// Second moments of enclosed parts, and how they lean.
    inner: [(Gathered, Lean); COLUMNS],
    status: [u32; COLUMNS],
    /// A bit for each contact with an enclosed part.
    encloses: u32,
    count: usize,
}

impl Totals {
    pub const fn new() -> Self {
        Totals {
            halves: [[Sum::ZERO; COLUMNS]; 2],
            patches: [0; COLUMNS],
            enclosed: Sums::NONE,
            deep: [0.0; COLUMNS],
            inner: [(Gathered::NONE, Lean::NONE); COLUMNS],
            status: [0; COLUMNS],
            encloses: 0,
            count: 0,
        }
    }

    /// Begins a contact, to which the following terms are added.
    #[inline(always)]
    pub fn begin(&mut self, patches: u64) {
        self.count += 1;
        let column = self.column();
        (self.halves[0][column], self.halves[1][column]) = (Sum::NONE, Sum::NONE);
        self.patches[column] = patches;
    }

    #[inline(always)]
    fn column(&self) -> usize {
        self.count.wrapping_sub(1) & (COLUMNS - 1)
    }

    pub fn is_full(&self) -> bool {
        self.count == COLUMNS
    }

    /// Adds a term in the cells of B (0) or of A (1).
    #[inline(always)]
    pub fn add(&mut self, half: usize, term: &Term) {
        let column = self.column();
        self.halves[half & 1][column].join(term);
    }

    /// Adds a term to the second moments of a half, which are stored in the record that will be written. Must be called before [`Totals::add`].
    #[inline(never)]
    pub fn widen(&self, half: usize, term: &Term, to: &mut Contact) {
        let mut kept = Kept::of(to);
        let own = &self.halves[half & 1][self.column()];
        let (second, even) = kept.half(half);
        let mut all = own.gathered(*second);
        all.join(&term.gathered());
        (*second, *even) = (all.second, add(*even, term.even));
        kept.put(to);
    }

    /// The column of this contact.
    #[inline(always)]
    pub fn before(&self) -> usize {
        self.column()
    }

    /// Adds a part of one body inside the other one: its pressure is that of a negative gap. `spread`: whether second
    /// moments are requested.
    pub fn enclose(&mut self, part: &Enclosed, spread: bool) {
        let (c, force, to) = (self.column(), part.force(), &mut self.enclosed);
        let [area, pressure] = part.measured();
        self.encloses |= 1 << c;
        to.area[c] += area;
        to.pressure[c] += pressure;
        to.halo[c] += area * part.halo;
        for k in 0..3 {
            to.first[k][c] += part.centre[k] * pressure;
            to.force[k][c] += part.normal[k] * force;
            to.torque[k][c] += part.torque[k];
        }
        to.least_gap[c] = min(to.least_gap[c], -part.most);
        to.energy[c] += part.energy;
        self.deep[c] += area * part.depth;
        self.status[c] |= part.status;
        let (inner, lean) = &mut self.inner[c];
        lean.lost += part.lost * force;
        if !spread {
            return;
        }
        let second = part.second().map(|x| x * pressure);
        inner.join(&Gathered { weight: pressure, centre: part.centre, second });
        if part.turns != [0.0; 3] {
            let turns = Plane::across(part.normal).tensor(part.turns);
            lean.turns.iter_mut().zip(turns).for_each(|(to, x)| *to += x * pressure);
        }
    }

    /// Writes all contacts except those whose pressures cancel, from index `number` on, as far as there is room, with measured areas in place of
    /// shares. Then it is empty again.
    #[inline(always)]
    pub fn finish<L: Lane<Scalar = f64>>(
        &mut self,
        simd: L::Simd,
        common: &Common,
        seen: &[Seen; 2],
        (out, number): (&mut [Contact], &mut usize),
    ) {
        let first = *number;
        let [of_b, of_a] = &self.halves;
        let halves = [Sums::of(of_b), Sums::of(of_a)];
        let mut at = 0;
        while at < self.count && at < COLUMNS {
            let sums = self.lanes::<L>(simd, &halves, seen, at);
            let (told, sound) = Told::<L>::new(simd, common, &sums, L::load(simd, &self.deep, at));
            let rows = told.rows();
            let bits = sound.bits();
            for lane in 0..L::LANES {
                let column = at + lane;
                if bits >> lane & 1 != 0 && column < self.count {
                    let column = column & (COLUMNS - 1);
                    let (x, y) = (&self.halves[0][column], &self.halves[1][column]);
                    let [p, q] = seen.each_ref().map(|seen| seen.scale * seen.scale);
                    let faces = x.prisms * p + y.prisms * q >= 0.5 * (x.pressure * p + y.pressure * q);
                    let leans = if faces || self.encloses >> column & 1 != 0 { 0 } else { status::LEANS };
                    let flat = [x, y].map(|half| if half.pressure > 0.0 { half.flat / half.pressure } else { 1.0 });
                    let mut contact =
                        rows.contact(lane, [common.tag, self.patches[column]], self.status[column] | leans);
                    contact.wedging = flats(flat);
                    if common.spread
                        && let Some(kept) = out.get(first + column).map(Kept::of)
                    {
                        self.spread((column, kept), common, seen, &mut contact);
                    }
                    if self.encloses >> column & 1 != 0 {
                        self.inner[column].1.put(common.spread, &mut contact);
                    }
                    if let Some(to) = out.get_mut(*number) {
                        *to = contact;
                    }
                    *number += 1;
                }
            }
            at += L::LANES;
        }
        if self.encloses != 0 {
            (self.enclosed, self.deep) = (Sums::NONE, [0.0; COLUMNS]);
            (self.status, self.encloses) = ([0; COLUMNS], 0);
            self.inner = [(Gathered::NONE, Lean::NONE); COLUMNS];
        }
        self.count = 0;
    }

    /// Writes the second moments.
    #[inline(never)]
    fn spread(&self, (column, kept): (usize, Kept), common: &Common, seen: &[Seen; 2], contact: &mut Contact) {
        let enclosed = &self.enclosed;
        let (mut all, mut even, mut area) = (Gathered::default(), [0.0; 3], 0.0);
        let halves = [&self.halves[0][column], &self.halves[1][column]];
        for ((half, seen), (second, first)) in halves.into_iter().zip(seen).zip(kept.halves) {
            let (length, square) = (seen.scale, seen.scale * seen.scale);
            let place = |x: [f64; 3]| add(scale(seen.turn.rotate(x), length), seen.half);
            let own = half.gathered(second);
            let second = turned(&own.second, &seen.turn.rows, 0.5 * square * square);
            all.join(&Gathered { weight: 0.5 * square * own.weight, centre: place(own.centre), second });
            if half.area > 0.0 {
                let part = 0.5 * square * half.area;
                even = add(even, scale(place(scale(first, 1.0 / half.area)), part));
                area += part;
            }
        }
        let inner = &self.inner[column].0;
        if inner.weight > 0.0 {
            all.join(inner);
            let own = enclosed.area[column];
            (even, area) = (add(even, scale(inner.centre, own)), area + own);
        }
        let from = sub(contact.position, common.middle);
        let (spread, offset) = (all.about(from), sub(scale(even, 1.0 / area), from));
        if area > 0.0 && spread.iter().chain(&offset).all(|x| Real::is_finite(*x)) {
            (contact.spread, contact.offset) = (spread.map(|x| x + 0.0), offset.map(|x| x + 0.0));
        }
    }

    /// In the world's frame: half of the sum of both halves, plus the enclosed parts.
    #[inline(always)]
    fn lanes<L: Lane<Scalar = f64>>(
        &self,
        simd: L::Simd,
        halves: &[Sums<Row>; 2],
        seen: &[Seen; 2],
        at: usize,
    ) -> Sums<L> {
        let half = L::splat(simd, 0.5);
        let x = halves[0].load::<L>(simd, at).seen(simd, &seen[0]);
        let y = halves[1].load::<L>(simd, at).seen(simd, &seen[1]);
        let deep = self.enclosed.load::<L>(simd, at);
        let mut sums = Sums {
            area: half * (x.area + y.area) + deep.area,
            pressure: half * (x.pressure + y.pressure) + deep.pressure,
            halo: half * (x.halo + y.halo) + deep.halo,
            least_gap: x.least_gap.min(y.least_gap).min(deep.least_gap),
            energy: half * (x.energy + y.energy) + deep.energy,
            ..x
        };
        for k in 0..3 {
            sums.first[k] = (x.first[k] + y.first[k]) * half + deep.first[k];
            sums.force[k] = (x.force[k] + y.force[k]) * half + deep.force[k];
            sums.torque[k] = (x.torque[k] + y.torque[k]) * half + deep.torque[k];
        }
        sums
    }
}

/// The fields of several contacts.
struct Told<T> {
    position: [T; 3],
    normal: [T; 3],
    moment: [T; 3],
    gap: T,
    least_gap: T,
    area: T,
    /// The sum of areas over which pressures were integrated: `sum S`.
    measured: T,
    halo: T,
    energy: T,
}

impl<L: Lane<Scalar = f64>> Told<L> {
    /// Also returns which lanes are contacts: opposite pressures may cancel.
    #[inline(always)]
    fn new(simd: L::Simd, common: &Common, sums: &Sums<L>, deep: L) -> (Self, L::Mask) {
        let (zero, one, infinity) = (L::splat(simd, 0.0), L::splat(simd, 1.0), L::splat(simd, f64::INFINITY));
        let [fx, fy, fz] = sums.force;
        let largest = fx.abs().max(fy.abs()).max(fz.abs());
        // Scaled by a power of two, so that the squares neither overflow nor underflow.
        let scale = largest.inverse_exponent();
        let scaled = [fx * scale, fy * scale, fz * scale];
        let length = dot(scaled, scaled).sqrt();
        let halo = match common.halo {
            Some(halo) => L::splat(simd, halo),
            None => sums.halo / sums.area,
        };
        let penetrates = zero.lt(deep);
        let filled = sums.pressure / sums.area;
        let filled = L::select(penetrates, filled, filled.min(one));
        // Without a halo, the gap follows from areas times depths, not from a pressure.
        let gap = L::select(zero.lt(halo), halo * (one - filled), -deep / sums.area);
        let gap = L::select(penetrates, gap, gap.max(zero));
        let area = length / scale / filled;
        let mut centre = sums.first;
        for x in &mut centre {
            *x = *x / sums.pressure;
        }
        let moved = cross(centre, sums.force);
        let (mut position, mut normal, mut moment) = (centre, scaled, sums.torque);
        // A quotient of subnormal numbers may be inaccurate or infinite.
        let mut sound = zero.lt(largest) & largest.lt(infinity) & zero.lt(length);
        for k in 0..3 {
            position[k] = centre[k] + L::splat(simd, common.middle[k]) + zero;
            normal[k] = scaled[k] / length + zero;
            moment[k] = moment[k] - moved[k] + zero;
            sound = sound & position[k].abs().lt(infinity) & moment[k].abs().lt(infinity);
        }
        sound = sound & area.abs().lt(infinity) & gap.abs().lt(infinity);
        let Sums { least_gap, energy, area: measured, .. } = *sums;
        (Told { position, normal, moment, gap, least_gap, area, measured, halo, energy }, sound)
    }

    #[inline(always)]
    fn rows(&self) -> Told<Row> {
        let (zero, three) = ([0.0; COLUMNS], [[0.0; COLUMNS]; 3]);
        let mut rows = Told {
            position: three,
            normal: three,
            moment: three,
            gap: zero,
            least_gap: zero,
            area: zero,
            measured: zero,
            halo: zero,
            energy: zero,
        };
        for k in 0..3 {
            self.position[k].store(&mut rows.position[k], 0);
            self.normal[k].store(&mut rows.normal[k], 0);
            self.moment[k].store(&mut rows.moment[k], 0);
        }
        self.gap.store(&mut rows.gap, 0);
        self.least_gap.store(&mut rows.least_gap, 0);
        self.area.store(&mut rows.area, 0);
        self.measured.store(&mut rows.measured, 0);
        self.halo.store(&mut rows.halo, 0);
        self.energy.store(&mut rows.energy, 0);
        rows
    }
}

impl Told<Row> {
    #[inline(always)]
    fn contact(&self, lane: usize, key: [u64; 2], status: u32) -> Contact {
        let lane = lane & (COLUMNS - 1);
        let three = |rows: &[Row; 3]| [rows[0][lane], rows[1][lane], rows[2][lane]];
        let least_gap = self.least_gap[lane];
        let touching = if least_gap <= 0.0 { status::TOUCHING } else { 0 };
        Contact {
            key,
            position: three(&self.position),
            normal: three(&self.normal),
            moment: three(&self.moment),
            gap: self.gap[lane],
            least_gap,
            area: self.area[lane],
            share: self.measured[lane],
            halo: self.halo[lane],
            status: status | touching,
            energy: self.energy[lane],
            ..Contact::default()
        }
    }
}
