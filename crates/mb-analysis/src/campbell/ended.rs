//! Tests: Campbell diagrams that are ended keep the speeds reached, and what they claim is that of the whole diagram.

use super::{Campbell, CampbellOptions, SpeedOf, campbell};
use crate::steps::tests::Tape;
use mb_algebra::Watch;
use mb_model::ModelSpec;
use mb_parametric::{Journal, NoJournal};

/// A mass on two pairs of springs on a turntable: it grows between the square roots of 200 and of 2000.
const TURNTABLE: &str = r#"
    units = "SI"
    name = "turntable"
    gravity = [0, 0]
    body = [{ name = "table", mass = 1, inertia = 1000, at = [0, 0], markers = { e = [1, 0], w = [-1, 0], n = [0, 1], s = [0, -1] } }]
    joint = [{ name = "axle", type = "revolute", a = "table", b = [0, 0] }]
    point = [{ name = "m", at = [0, 0], mass = 1 }]
    spring = [
        { name = "east", a = "table.e", b = "m", stiffness = 1000, natural_length = 1 },
        { name = "west", a = "table.w", b = "m", stiffness = 1000, natural_length = 1 },
        { name = "north", a = "table.n", b = "m", stiffness = 100, natural_length = 1 },
        { name = "south", a = "table.s", b = "m", stiffness = 100, natural_length = 1 },
    ]
"#;

fn diagram(range: [f64; 2]) -> Campbell {
    with(range, &mut NoJournal)
}

fn with(range: [f64; 2], journal: &mut dyn Journal) -> Campbell {
    let spec = ModelSpec::from_toml(TURNTABLE).unwrap();
    let options = CampbellOptions { samples: 31, ..CampbellOptions::default() };
    campbell(&spec, &SpeedOf::Joint("axle".to_owned()), range, &options, journal).unwrap()
}

/// Ends of ranges of growth with their errors.
fn ends(c: &Campbell) -> Vec<[f64; 2]> {
    c.unstable.iter().flat_map(|u| [u.from, u.to]).flatten().collect()
}

/// Whether a value lies between some of others.
fn inside(w: f64, list: &[f64]) -> bool {
    list.iter().any(|x| *x <= w) && list.iter().any(|x| *x >= w)
}

/// Ends the work at many places of the same run, those counted in steps: the same in every run.
#[test]
fn a_part_of_a_diagram_is_that_of_the_whole() {
    const PARTS: u64 = 110;
    for range in [[1.0, 60.0], [60.0, 1.0]] {
        let count = Watch::new();
        let whole = count.scope(|| diagram(range)).unwrap();
        assert!(whole.early.is_none() && whole.unstable.len() == 1 && whole.critical.len() > 3);
        let (mut tails, mut unsolved, mut wide, mut solved) = (0, 0, 0, 0);
        for part in 1..PARTS {
            // Nothing is kept where the first speed has not been reached.
            let Ok(found) = Watch::after(count.steps() * part / PARTS).scope(|| diagram(range)) else {
                continue;
            };
            let early = found.early.as_ref().unwrap();
            assert!(whole.unsolved.is_empty());
            assert_eq!(early.samples, 31);
            let begin = whole.speeds.len() - found.speeds.len();
            assert_eq!(found.speeds, whole.speeds[begin..]);
            tails += usize::from(begin > 0);
            // The same bits as in the whole, where more modes may be among the lowest of an end.
            for mode in &found.modes {
                assert!(whole.modes.iter().any(|other| *mode == other[begin..]), "{part}: {mode:?}");
            }
            assert!(
                found.critical.iter().all(|c| whole.critical.contains(c)),
                "{part}: {:?}",
                found.critical
            );
            solved += usize::from(begin == 0 && !found.critical.is_empty());
            for u in &found.unsolved {
                let met =
                    |c: &super::Critical| c.order.total_cmp(&u.order).is_eq() && inside(c.speed, &u.between);
                assert!(whole.critical.iter().any(met), "{part}: {u:?}");
                unsolved += 1;
            }
            // Every end in the reach of the part is enclosed by it.
            for [exact, _] in ends(&whole).into_iter().filter(|end| inside(end[0], &found.speeds)) {
                let hit = ends(&found).into_iter().find(|[w, error]| (w - exact).abs() <= *error + 1e-9);
                let [_, error] = hit.unwrap_or_else(|| panic!("{part}: {exact} in {:?}", found.unstable));
                wide += usize::from(error > 0.1);
            }
            assert!(found.resolution >= whole.resolution && found.resolution.is_finite());
        }
        assert!(
            tails > 3 && unsolved > 3 && wide > 3 && solved > 3,
            "{tails} {unsolved} {wide} {solved} of {} steps",
            count.steps()
        );
    }
}

/// Ends the work at many places, goes on from the steps kept, ends that too, and comes to the bits of the whole.
#[test]
fn a_diagram_that_was_ended_goes_on_with_the_same_bits() {
    for range in [[1.0, 60.0], [60.0, 1.0]] {
        let (count, mut tape) = (Watch::new(), Tape::default());
        let whole = count.scope(|| format!("{:?}", with(range, &mut tape))).unwrap();
        assert_eq!(whole, format!("{:?}", diagram(range)));
        let (steps, mut most) = (tape.all, 0);
        for part in 1..20 {
            let mut first = Tape::default();
            let _ended = Watch::after(count.steps() * part / 20).scope(|| with(range, &mut first));
            let mut second = Tape::rewound(first.all);
            let _ended = Watch::after(count.steps() / 4).scope(|| with(range, &mut second));
            let kept = second.all.len();
            most = most.max(kept);
            let mut third = Tape::rewound(second.all);
            assert_eq!(format!("{:?}", with(range, &mut third)), whole, "{part}: {kept} steps");
            assert_eq!((third.left(), &third.all), (0, &steps), "{part}");
        }
        assert!(most > steps.len() / 2 && steps.len() > 100, "{most} of {}", steps.len());
    }
}
