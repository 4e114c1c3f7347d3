//! Work that goes on from what was kept gives the same bits, wherever it was ended.

use crate::systems::{free, polynomial, solve};
use mb_algebra::{Dense, QuadraticPencil, Stopped, Watch, c64, dense};
use mb_parametric::{
    AccuracyOptions, Expansion, Journal, PencilSeries, Region, StartingEigenpair, Track, TrackOptions,
    expand_groups_kept, track_kept,
};
use std::collections::VecDeque;

/// Steps of an earlier run, and those of this one; a run can be ended once it has kept some.
#[derive(Default)]
struct Kept {
    earlier: VecDeque<Vec<f64>>,
    own: Vec<Vec<f64>>,
    end: Option<(usize, Watch)>,
}

impl Journal for Kept {
    fn recall(&mut self) -> Option<Vec<f64>> {
        self.earlier.pop_front()
    }
    fn keep(&mut self, numbers: Vec<f64>) {
        self.own.push(numbers);
        if let Some((steps, watch)) = &self.end
            && self.own.len() == *steps
        {
            watch.set();
        }
    }
}

/// Stiffnesses 4 + x, 5 - x and 6 with weak springs between them: the first two veer at x = 1/2.
fn veering() -> PencilSeries {
    let e = 0.002;
    let at = |sigma: [u8; 1], a: Dense| (sigma.to_vec(), a);
    let terms = QuadraticPencil {
        m: vec![at([0], dense::identity(3))],
        c: vec![at([0], dense::diagonal(&[0.01, 0.0, 0.02]))],
        k: vec![
            at([0], dense::from_rows(&[[4.0 + e, -e, 0.0], [-e, 5.0 + 2.0 * e, -e], [0.0, -e, 6.0 + e]])),
            at([1], dense::diagonal(&[1.0, -1.0, 0.0])),
        ],
        phi_q: free(3, 1),
    };
    polynomial(1, 1, &terms)
}

fn starts(pencil: &PencilSeries, at: &[f64]) -> Vec<StartingEigenpair> {
    let mut all = solve(&pencil.evaluate(at).unwrap());
    all.retain(|pair| pair.s.im > 0.1);
    all.sort_by(|a, b| a.s.im.total_cmp(&b.s.im));
    all
}

fn bits(list: &[c64]) -> Vec<[u64; 2]> {
    list.iter().map(|z| [z.re.to_bits(), z.im.to_bits()]).collect()
}

fn same(a: &Track, b: &Track) {
    let flat = |t: &Track| -> Vec<[u64; 2]> {
        t.eigenpairs
            .iter()
            .flatten()
            .flat_map(|p| [bits(&[p.s]), bits(&p.vector), bits(&p.left)].concat())
            .collect()
    };
    assert_eq!(flat(a), flat(b));
    assert_eq!((&a.mac, &a.encounters, &a.passed_beside), (&b.mac, &b.encounters, &b.passed_beside));
}

#[test]
fn a_track_that_was_ended_anywhere_goes_on_with_the_same_bits() {
    let pencil = veering();
    let path: Vec<Vec<f64>> = (0..=40).map(|i| vec![f64::from(i) / 40.0]).collect();
    let starts = starts(&pencil, &[0.0]);
    let options = TrackOptions::default();
    let mut kept = Kept::default();
    let whole = track_kept(&pencil, &path, &starts, &options, &mut kept).unwrap();
    assert_eq!((kept.own.len(), whole.stopped), (41, None));
    assert!(!whole.encounters.is_empty());
    for steps in 0..=kept.own.len() {
        let earlier = kept.own[..steps].iter().cloned().collect();
        let mut rest = Kept { earlier, ..Kept::default() };
        same(&track_kept(&pencil, &path, &starts, &options, &mut rest).unwrap(), &whole);
        assert_eq!(rest.own, kept.own[steps..], "{steps}");
    }
}

#[test]
fn a_track_that_is_interrupted_has_the_samples_before() {
    let pencil = veering();
    let path: Vec<Vec<f64>> = (0..=40).map(|i| vec![f64::from(i) / 40.0]).collect();
    let starts = starts(&pencil, &[0.0]);
    let whole = track_kept(&pencil, &path, &starts, &TrackOptions::default(), &mut Kept::default()).unwrap();
    for steps in [1, 7, 30] {
        let watch = Watch::new();
        let mut kept = Kept { end: Some((steps, watch.clone())), ..Kept::default() };
        let track = || track_kept(&pencil, &path, &starts, &TrackOptions::default(), &mut kept);
        let found = watch.scope(track).unwrap().unwrap();
        assert_eq!((found.eigenpairs.len(), found.stopped), (steps, Some(Stopped::Asked)));
        assert_eq!((found.points.len(), found.mac.len()), (steps, steps - 1));
        for (a, b) in found.eigenpairs.iter().zip(&whole.eigenpairs) {
            assert_eq!(a, b);
        }
    }
}

#[test]
fn centres_that_were_kept_are_taken_with_the_same_bits() {
    // omega^2 = 4 +- |(x, y)| and 9 + x: the lower value vanishes at a distance of 4, which takes several centres.
    let k = vec![
        (vec![0, 0], dense::diagonal(&[4.0, 4.0, 9.0])),
        (vec![1, 0], dense::diagonal(&[1.0, -1.0, 1.0])),
        (vec![0, 1], dense::from_rows(&[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])),
    ];
    let zero = || vec![0, 0];
    let (m, c) = (vec![(zero(), dense::identity(3))], vec![(zero(), Dense::zeros(3, 3))]);
    let pencil = polynomial(2, 1, &QuadraticPencil { m, c, k, phi_q: free(3, 2) });
    let mut three = starts(&pencil, &[0.0, 0.0]);
    three.retain(|pair| pair.s.im > 2.5);
    let two = c64::new(0.0, 2.0);
    let region = Region::Box { lower: vec![-0.5, 0.0], upper: vec![3.6, 0.1] };
    let options = AccuracyOptions { accuracy: 1e-4, max_order: 6, ..AccuracyOptions::default() };
    let expand = |kept: &mut Kept| {
        expand_groups_kept(&pencil, &three, &[vec![two, two]], &region, &options, kept).unwrap()
    };
    let flat = |found: &Expansion| -> Vec<[u64; 2]> {
        let of = |d: [f64; 2]| {
            let (modes, groups) = (found.evaluate(&d).unwrap(), found.evaluate_groups(&d).unwrap());
            let values = modes.iter().map(|m| m.s).chain(groups.into_iter().flat_map(|g| g.values));
            bits(&values.collect::<Vec<_>>())
        };
        (0..40).flat_map(|i| of([-0.5 + 0.1 * f64::from(i), 0.05 * f64::from(i % 3)])).collect()
    };
    let mut kept = Kept::default();
    let whole = expand(&mut kept);
    assert!(whole.pieces.len() > 1 && kept.own.len() > whole.pieces.len(), "cuts are kept too");
    for steps in 0..=kept.own.len() {
        let mut rest = Kept { earlier: kept.own[..steps].iter().cloned().collect(), ..Kept::default() };
        let found = expand(&mut rest);
        assert_eq!(flat(&found), flat(&whole), "{steps}");
        assert_eq!(rest.own, kept.own[steps..], "{steps}");
    }
}
