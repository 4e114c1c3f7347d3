//! A small reproducible generator (splitmix64): equal seeds give equal runs on every machine.

/// The generator.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The generator of one run.
    pub(crate) fn new(seed: u64, run: u64) -> Self {
        let mut random = Self(seed ^ run.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.bits();
        random
    }
    /// 64 random bits (Steele, Lea and Flood, OOPSLA 2014).
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `end`; zero when there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.bits() % end.max(1) as u64).unwrap_or(0)
    }
    /// True once in `of` times.
    pub(crate) fn once_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
    /// One of a list that is not empty.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
    /// Uniform in [0, 1).
    pub(crate) fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }
    /// A number as a person or a program may write it: mostly ordinary, sometimes at the edge of what a double holds.
    pub(crate) fn number(&mut self) -> f64 {
        const EDGES: [f64; 20] = [
            0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-3, 1e3, 1e-9, 1e9, 1e-16, 1e16, 1e-30, 1e30, 1e-308, 5e-324,
            1e300, 1e308, -1e308, 1e154,
        ];
        match self.below(4) {
            0 => EDGES[self.below(EDGES.len())],
            1 => f64::from(u8::try_from(self.below(20)).unwrap_or(0)),
            2 => self.share() * 10.0_f64.powi(i32::try_from(self.below(13)).unwrap_or(0) - 6),
            _ => 4.0 * self.share() - 2.0,
        }
    }
}
