//! Sizes that changes of the blocks are large or small against.

use super::generator::{Generator, in_ground, length, positions};
use mb_algebra::{Dense, dense};
use mb_model::{BlockKind, Model, Point};

/// Sizes of entries: square roots of the diagonal of |M| w^2 + |C| w + |K|, so that an entry is compared with the product
/// of those of its row and column.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    /// The fastest speed w of the motion, rad/s.
    pub(super) speed: f64,
    /// Of the coordinates, n numbers.
    pub(super) full: Vec<f64>,
    /// Of the admissible displacements, d numbers; empty before [`Self::on_basis`].
    pub(super) reduced: Vec<f64>,
    /// The largest velocity of the kind of each coordinate (translation, rotation), n numbers.
    pub(super) velocity: Vec<f64>,
    /// What rounding of the forces at work makes of the acceleration of each coordinate, n numbers.
    pub(super) acceleration: Vec<f64>,
    /// Speeds of rotations and of elastic coordinates, with the differences of the former, rad/s.
    speeds: Vec<f64>,
    /// Velocities of the positions of every block that has some, compared with the extent of the model, 1/s.
    travels: Vec<[f64; 3]>,
    /// Phases of each speed that show a motion to be steady.
    phases: u32,
}

/// Diagonal entries below this share of the largest are no scale of their own: what is below is rounding of the largest.
pub(super) const SMALLEST: f64 = 1e-12;

/// Share of the largest force that what is left of forces in balance may be: rounding of sums and factors.
const ROUNDED: f64 = 128.0 * f64::EPSILON;

impl Scale {
    /// From the diagonals of M, C and K.
    pub(super) fn new(model: &Model, point: &Point, diagonals: &[Vec<f64>; 3]) -> Self {
        let (speeds, travels) = (speeds(model, point), travels(model, point));
        let all = speeds.iter().copied().chain(travels.iter().map(|v| length(*v)));
        let speed = all.fold(0.0, f64::max);
        let velocity = velocities(model, point, speed);
        let full = sizes(diagonals, speed);
        let forces = model.largest_force(point);
        let rounded = |m: &f64| if *m > 0.0 { ROUNDED * forces / m } else { 0.0 };
        let acceleration = diagonals[0].iter().map(rounded).collect();
        let many = model.has_functions_of_place() || model.lengths() > FEW_LENGTHS;
        let phases = if many { PHASES } else { PHASES_OF_ROTATIONS };
        Self { speed, full, reduced: Vec::new(), velocity, acceleration, speeds, travels, phases }
    }
    /// With the sizes of the coordinates in a basis of the admissible displacements.
    pub(super) fn on_basis(self, blocks: &[Dense; 3], r: &Dense) -> Self {
        let diagonals = [0, 1, 2].map(|i| {
            let x = dense::mul_transpose(r, &dense::mul(&blocks[i], r));
            (0..x.ncols()).map(|i| x[(i, i)]).collect()
        });
        Self { reduced: sizes(&diagonals, self.speed), ..self }
    }
    /// What a deviation at the phases looked at may be larger elsewhere.
    pub(super) fn unseen(&self) -> f64 {
        if self.phases < PHASES { 1.0 } else { UNSEEN }
    }
    /// What an entry of M (0), C (1) or K (2) is multiplied by to become one of K.
    pub(super) fn unit(&self, order: usize) -> f64 {
        [self.speed * self.speed, self.speed, 1.0][order]
    }
}

/// Square roots of |M| w^2 + |C| w + |K| on the diagonal.
pub(super) fn sizes(diagonals: &[Vec<f64>; 3], speed: f64) -> Vec<f64> {
    let unit = [speed * speed, speed, 1.0];
    let size = |i: usize| diagonals.iter().zip(unit).map(|(x, u)| x[i].abs() * u).sum::<f64>();
    let all: Vec<f64> = (0..diagonals[0].len()).map(size).collect();
    let least = all.iter().copied().fold(0.0, f64::max) * SMALLEST;
    all.iter().map(|x| x.max(least).max(f64::MIN_POSITIVE).sqrt()).collect()
}

/// How far the positions of the model reach from the origin and from each other, in m, by axis; one where all is at the origin.
fn range_of(model: &Model, point: &Point) -> f64 {
    let mut range = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    for b in model.coordinates().blocks() {
        for i in 0..positions(b.kind) {
            let x = point.q[b.q + i];
            range[i] = [range[i][0].min(x).min(0.0), range[i][1].max(x).max(0.0)];
        }
    }
    let size = range.iter().map(|[a, b]| b - a).filter(|x| x.is_finite()).fold(0.0, f64::max);
    if size > 0.0 { size } else { 1.0 }
}

/// Speeds that differ by less than this ratio are one.
const SAME: f64 = 1.5;

/// Velocities of the positions of every block that has some, compared with the extent of the model, 1/s (ground's axes).
fn travels(model: &Model, point: &Point) -> Vec<[f64; 3]> {
    let size = range_of(model, point);
    let one = |b: &mb_model::Block| {
        let places = positions(b.kind);
        std::array::from_fn(|i| if i < places { point.v[b.v + i] / size } else { 0.0 })
    };
    model.coordinates().blocks().iter().filter(|b| positions(b.kind) > 0).map(one).collect()
}

/// Speeds of rotations with their differences, and of elastic coordinates, 1/s.
fn speeds(model: &Model, point: &Point) -> Vec<f64> {
    let (mut turns, mut all) = (Vec::new(), Vec::new());
    for b in model.coordinates().blocks() {
        let v = &point.v[b.v..b.v + b.kind.nv()];
        match b.kind {
            BlockKind::Angle => turns.push(v[0].abs()),
            _ => turns.push(length(in_ground(b, point))),
        }
        let rest = &v[positions(b.kind)..];
        if matches!(b.kind, BlockKind::ElasticNode | BlockKind::Displacement | BlockKind::Vector(_)) {
            all.push(rest.iter().fold(0.0_f64, |a, x| a.max(x.abs())));
        }
    }
    all.extend(turns.iter());
    // Where two parts turn differently, one sees the other turn with the difference.
    turns.sort_by(f64::total_cmp);
    turns.dedup_by(|a, b| (*a - *b).abs() <= 1e-6 * b.abs());
    all.extend(turns.windows(2).map(|w| w[1] - w[0]));
    all
}

/// Speeds by size, the fastest first, without what is rounding of it and without those that are nearly one.
fn apart(mut all: Vec<f64>) -> Vec<f64> {
    let top = all.iter().copied().fold(0.0, f64::max);
    all.retain(|x| *x > ROUNDING * top);
    all.sort_by(|a, b| b.total_cmp(a));
    all.dedup_by(|a, b| *a * SAME > *b);
    all
}

fn velocities(model: &Model, point: &Point, speed: f64) -> Vec<f64> {
    let turns = |b: &mb_model::Block, i: usize| b.kind.turns(i);
    let mut largest = [0.0_f64, 0.0];
    for b in model.coordinates().blocks() {
        for i in 0..b.kind.nv() {
            let k = usize::from(turns(b, i));
            largest[k] = largest[k].max(point.v[b.v + i].abs());
        }
    }
    // Below a billionth of what turning gives at the model's size a translation is rounding.
    let least = [1e-9 * speed * range_of(model, point), 1e-9 * speed];
    let mut out = vec![0.0; model.nv()];
    for b in model.coordinates().blocks() {
        for i in 0..b.kind.nv() {
            let k = usize::from(turns(b, i));
            out[b.v + i] = largest[k].max(least[k]).max(f64::MIN_POSITIVE);
        }
    }
    out
}

/// Phases of each speed that show a motion to be steady (`orbit` says why).
pub(crate) const PHASES: u32 = 16;

/// The same where all laws are the workspace's own: their entries turn as products of two rotations, so have two harmonics.
const PHASES_OF_ROTATIONS: u32 = 5;

/// Springs by their lengths up to which no more phases are looked at. A length is a function of all harmonics of a rotation, of which the first
/// are the largest; a ring of N equal springs leaves those of N alone.
const FEW_LENGTHS: usize = 4;

/// What a deviation that was looked at in [`PHASES`] phases may be larger elsewhere: the largest of so many values of a harmonic about zero
/// misses half of its range with a chance of 1e-5.
const UNSEEN: f64 = 2.0;

/// Largest distance in turns of a phase from its multiple of the golden section.
const IRREGULAR: f64 = 0.015;

/// The k-th of [`PHASES`] phases in turns, from one on: next to a multiple of the golden section, off it by the fractions of k^2 sqrt 2.
/// Multiples alone are nearly whole ones of a Fibonacci number of parts, so that a ring of 13 springs would look the same at all of them.
fn phase(k: u32) -> f64 {
    let k = f64::from(k);
    GOLDEN * k + IRREGULAR * (2.0 * (k * k * std::f64::consts::SQRT_2).fract() - 1.0)
}

/// Speeds of a frame below this share of the fastest of the motion are rounding: their turns take for ever.
const ROUNDING: f64 = 1e-9;

/// The golden section: its multiples are the phases farthest from any with a common period.
pub(super) const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// Times in s at which the orbit of `s` is checked: phases of every speed of the motion and of the frame; where fewer than
/// [`PHASES`] are asked for so many in all, and one at least of each speed.
///
/// Every point is one of all speeds. A speed whose phases at the points of faster ones are as many, and leave no larger gap, gets no
/// points of its own.
///
/// Positions that the frame turns go round with it: only what they travel along its axis has a speed of its own.
pub(super) fn times(scale: &Scale, s: &Generator, phases: u32) -> Vec<f64> {
    let along = s.place_rates().zip(&scale.travels).map(|((_, rate), v)| {
        let fast = length(rate);
        if fast > 0.0 { (0..3).map(|i| v[i] * rate[i]).sum::<f64>().abs() / fast } else { length(*v) }
    });
    let own = scale.speeds.iter().copied().chain(along);
    let speeds = apart(own.chain(s.speeds().filter(|x| *x > ROUNDING * scale.speed)).collect());
    let turns: Vec<f64> = speeds.iter().map(|speed| std::f64::consts::TAU / speed).collect();
    let at = |turn: f64, k: u32| turn * GOLDEN * f64::from(k);
    let in_all = phases < PHASES;
    if in_all {
        // Points of all speeds at once, with a phase of each that is like none before.
        let count = phases.max(u32::try_from(turns.len()).unwrap_or(phases));
        return (1..=count).zip(turns.iter().cycle()).map(|(k, turn)| at(*turn, k)).collect();
    }
    let phases = scale.phases;
    let mut times: Vec<f64> = Vec::new();
    // The fastest speed comes first.
    for turn in turns {
        if !shows(&times, turn, phases) {
            let share = |k: u32| if phases < PHASES { GOLDEN * f64::from(k) } else { phase(k) };
            times.extend((1..=phases).map(|k| turn * share(k)));
        }
    }
    times
}

/// Phases that differ by less than this share of a turn count as one.
const ALIKE: f64 = 1e-3;

/// Whether `times` have so many phases of a speed by the time of its turn, with zero no gap larger than two parts of so many.
fn shows(times: &[f64], turn: f64, phases: u32) -> bool {
    let mut at: Vec<f64> = times.iter().map(|t| (t / turn).rem_euclid(1.0)).collect();
    at.sort_by(f64::total_cmp);
    at.dedup_by(|a, b| *a - *b < ALIKE);
    let gaps = std::iter::once(0.0).chain(at.iter().copied()).zip(at.iter().copied().chain([1.0]));
    let widest = gaps.fold(0.0_f64, |widest, (a, b)| widest.max(b - a));
    at.len() >= phases as usize && widest <= 2.0 / f64::from(phases)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of one speed serve another when they go round its turn, and not when they stay at its start or meet few phases.
    #[test]
    fn points_of_one_speed_serve_another_that_they_go_round() {
        let times: Vec<f64> = (1..=PHASES).map(|k| GOLDEN * f64::from(k)).collect();
        for (turn, served) in [(1.0, true), (7.0 / 6.0, true), (0.3_f64.recip(), true), (100.0, false)] {
            assert_eq!(shows(&times, turn, PHASES), served, "a turn of {turn}");
        }
        let own: Vec<f64> = (1..=PHASES).map(phase).collect();
        assert!(shows(&own, 1.0, PHASES));
        // Whatever the number of equal parts of a turn, some phase is far from all of their edges.
        for parts in 1..2000 {
            let seen = own.iter().map(|phase| 1.0 - (std::f64::consts::TAU * f64::from(parts) * phase).cos());
            assert!(seen.fold(0.0, f64::max) > 1.0, "{parts}");
        }
        // Two phases alone.
        assert!(!shows(&times, 2.0 * GOLDEN, PHASES));
        assert!(!shows(&[], 1.0, PHASES));
    }
}
