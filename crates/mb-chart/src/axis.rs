//! From values to places: proportional, logarithmic and equal axes.

/// Room of equal axes over what is drawn in them.
const EDGE: f64 = 1.06;

/// Values beyond this are drawn there.
const LARGEST: f64 = 1e300;

/// Least and largest of the finite numbers; 0 and 1 when there are none.
pub(crate) fn range(list: impl Iterator<Item = f64>) -> [f64; 2] {
    let start = [f64::INFINITY, f64::NEG_INFINITY];
    // The difference of two numbers of this size is finite.
    let [low, high] = list
        .filter(|x| x.is_finite())
        .map(|x| x.clamp(-LARGEST, LARGEST))
        .fold(start, |[a, b], x| [a.min(x), b.max(x)]);
    if low <= high { [low, high] } else { [0.0, 1.0] }
}

/// From values to places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) step: f64,
    logarithmic: bool,
    places: [f64; 2],
}

impl Axis {
    /// Steps of 1, 2 or 5 times a power of ten; `round` ends the axis at a step.
    pub(crate) fn linear([low, high]: [f64; 2], round: bool, places: [f64; 2]) -> Self {
        let size = low.abs().max(high.abs());
        if size < f64::MIN_POSITIVE / 1e-9 {
            // Zero throughout has no unit of its own: the one tick is at zero.
            return Self { from: -1.0, to: 1.0, step: 2.0, logarithmic: false, places };
        }
        // A constant gets room in proportion around it.
        let (low, high) =
            if high - low > 1e-9 * size { (low, high) } else { (low - 0.5 * size, high + 0.5 * size) };
        let rough = (high - low) / 5.0;
        let unit = 10.0_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * unit).into_iter().find(|s| *s >= rough).unwrap_or(unit);
        let (from, to) =
            if round { ((low / step).floor() * step, (high / step).ceil() * step) } else { (low, high) };
        Self { from, to, step, logarithmic: false, places }
    }
    /// Two axes of one unit of length, `across` for [left, right] and `up` for [bottom, top], around the middle of what is drawn, with
    /// the same steps.
    pub(crate) fn equal(ranges: [[f64; 2]; 2], across: [f64; 2], up: [f64; 2]) -> [Self; 2] {
        let room = [across, up].map(|[from, to]| (to - from).abs());
        let wide = ranges.map(|[low, high]| high - low);
        let scale = (wide[0] / room[0]).max(wide[1] / room[1]);
        let size = ranges.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
        // A single point gets room in proportion around it.
        let scale = if scale > 1e-9 * size { scale } else { size.max(f64::MIN_POSITIVE / 1e-9) / room[0] };
        let spread = |k: usize| {
            let middle = 0.5 * (ranges[k][0] + ranges[k][1]);
            // A little room around the curve.
            let half = 0.5 * EDGE * scale * room[k];
            [middle - half, middle + half]
        };
        let up = Self::linear(spread(1), false, up);
        let across = Self::linear(spread(0), false, across);
        let step = across.step.max(up.step);
        [Self { step, ..across }, Self { step, ..up }]
    }
    /// Whole decades.
    pub(crate) fn decades([low, high]: [f64; 2], floor: f64, places: [f64; 2]) -> Self {
        let from = low.max(floor).log10().floor();
        let to = high.max(floor).log10().ceil().max(from + 1.0);
        Self { from, to, step: ((to - from) / 8.0).ceil(), logarithmic: true, places }
    }
    pub(crate) fn at(&self, x: f64) -> f64 {
        let x = x.clamp(-LARGEST, LARGEST);
        self.places[0] + (self.places[1] - self.places[0]) * (x - self.from) / (self.to - self.from)
    }
    /// The place of a value, inside the axis.
    pub(crate) fn inside(&self, x: f64) -> f64 {
        let x = if self.logarithmic { x.max(f64::MIN_POSITIVE).log10() } else { x };
        self.at(x.clamp(self.from, self.to))
    }
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let first = (self.from / self.step - 1e-9).ceil();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a dozen steps")]
        let count = ((self.to - first * self.step) / self.step + 1e-9).floor().clamp(0.0, 20.0) as usize;
        (0..=count).map(|k| (first + k as f64) * self.step).collect()
    }
    pub(crate) fn word(&self, x: f64) -> String {
        if self.logarithmic {
            return format!("1e{x:.0}");
        }
        let largest = self.from.abs().max(self.to.abs());
        if !(1e-3..1e6).contains(&largest) {
            return format!("{:.2e}", x + 0.0);
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 17")]
        let decimals = (-self.step.log10().floor()).clamp(0.0, 17.0) as usize;
        let rounded = if x.abs() < 1e-9 * self.step { 0.0 } else { x };
        format!("{rounded:.decimals$}")
    }
}
