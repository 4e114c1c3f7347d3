//! What a diagram says in words: critical speeds, growth, and what is to be known about them.

use super::{Campbell, Unsolved};
use crate::number::{six, tiny};
use crate::sentences;

/// What has to be said in addition to the numbers of a diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// A note, which [`crate::sentences::one`] makes a sentence of.
    pub words: String,
    /// Whether the diagram leaves something open that its numbers do not show, so that a reader is to be warned.
    pub warns: bool,
}

/// Places that are listed in a note; of more the number is said.
const SHOWN: usize = 6;

impl Campbell {
    /// Whether everything that lies between the speeds was solved for.
    pub fn is_solved(&self) -> bool {
        self.early.is_none() && self.unsolved.is_empty()
    }

    /// Critical speeds in a sentence without its capital and full stop.
    pub fn critical_in_words(&self) -> String {
        let speeds: Vec<String> = self.critical.iter().map(|c| six(c.speed)).collect();
        match &speeds[..] {
            [] if self.is_solved() => "no mode cuts a line".to_owned(),
            [] => "no critical speed was solved for".to_owned(),
            list => format!("critical speeds: {}", list.join(", ")),
        }
    }

    /// Ranges of growth in a sentence without its capital and full stop: nothing is said not to grow whose growth is not known.
    pub fn growth_in_words(&self) -> String {
        let end = |end: &Option<[f64; 2]>| end.map_or_else(|| "beyond the range".to_owned(), |[w, _]| six(w));
        let ranges: Vec<String> =
            self.unstable.iter().map(|u| format!("from {} to {}", end(&u.from), end(&u.to))).collect();
        let known = self.undetermined().is_none();
        match (&ranges[..], known, self.is_solved()) {
            ([], false, _) => "nothing grows beyond its error bound; what has no digits may grow".to_owned(),
            ([], true, false) => "nothing grows at these speeds".to_owned(),
            ([], true, true) => "nothing grows".to_owned(),
            (list, ..) => format!("motion grows {}", list.join(", ")),
        }
    }

    /// Critical speeds, growth and what is not known of it, as sentences.
    pub fn summary(&self) -> String {
        let mut parts = vec![self.critical_in_words(), self.growth_in_words()];
        parts.extend(self.undetermined());
        sentences::all(&parts).join(" ")
    }

    /// How many eigenvalues have bounds as wide as they are large, so that whether they grow is not known.
    pub fn undetermined(&self) -> Option<String> {
        let points = self.modes.iter().flatten().flatten();
        let bounds: Vec<f64> =
            points.filter(|m| m.s.norm() > 0.0 && m.error >= m.s.norm()).map(|m| m.error).collect();
        let widest = bounds.iter().copied().reduce(f64::max)?;
        Some(format!(
            "the error bounds of {} eigenvalues at these speeds are as large as the eigenvalues (up to {} rad/s): whether they grow is \
             not known",
            bounds.len(),
            tiny(widest)
        ))
    }

    /// What has to be said in addition to the numbers; `speed` is the name of the speed, `first` the number that the first mode has.
    pub fn notes(&self, speed: &str, first: usize) -> Vec<Note> {
        let told = |words: String| Note { words, warns: false };
        let warned = |words: String| Note { words, warns: true };
        let mut notes: Vec<Note> = unsolved(&self.unsolved, first).map(warned).into_iter().collect();
        notes.extend(self.passed.iter().cloned().map(told));
        if self.frame.is_some() {
            notes.push(told(format!(
                "the motion is steady: the linearization is the same within {} of its entries all along the orbit, checked in the \
                 phases of each of its speeds that show it at {} speeds and in a few at the others",
                tiny(self.deviation),
                self.shown
            )));
        }
        if let Some(between) = &self.between {
            notes.push(told(format!(
                "the speed changes nothing but velocities: matrices between the speeds that were linearized are polynomials of degree {} \
                 through {} of them, which meet {} others within {} of their entries; the error bounds contain that",
                between.degree,
                between.degree + 1,
                between.checks,
                tiny(between.missed)
            )));
        }
        notes.extend(self.undetermined().map(warned));
        if !self.complete {
            notes.push(told(
                "growing motions are reported among the modes shown only; asking for more modes shows more of them"
                    .to_owned(),
            ));
        }
        notes.push(told(format!(
            "ranges of growth, and ranges without it between two of growth, that are narrower than {} in {speed} may be missed",
            tiny(self.resolution)
        )));
        notes
    }
}

/// Where modes cut lines without having been solved for.
fn unsolved(list: &[Unsolved], first: usize) -> Option<String> {
    let place = |u: &Unsolved| {
        let [a, b] = u.between.map(six);
        format!("mode {} and {} per revolution between {a} and {b}", u.mode + first, u.order)
    };
    let mut places: Vec<String> = list.iter().take(SHOWN).map(place).collect();
    if list.len() > SHOWN {
        places.push(format!("{} more", list.len() - SHOWN));
    }
    let places = places.join(", ");
    (!list.is_empty()).then(|| {
        format!("critical speeds not solved for, more samples between may follow the modes: {places}")
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Campbell, CampbellOptions, SpeedOf, Unsolved, campbell};
    use mb_model::ModelSpec;
    use mb_parametric::NoJournal;

    /// A mass on springs on a turntable, which does not grow below the square root of the smaller stiffness, 14 rad/s.
    const TURNTABLE: &str = r#"
        units = "SI"
        name = "turntable"
        gravity = [0, 0]
        body = [{ name = "table", mass = 1, inertia = 1000, at = [0, 0], markers = { e = [1, 0], n = [0, 1] } }]
        joint = [{ name = "axle", type = "revolute", a = "table", b = [0, 0] }]
        point = [{ name = "m", at = [0, 0], mass = 1 }]
        spring = [
            { name = "east", a = "table.e", b = "m", stiffness = 1000, natural_length = 1 },
            { name = "north", a = "table.n", b = "m", stiffness = 200, natural_length = 1 },
        ]
    "#;

    fn diagram(range: [f64; 2]) -> Campbell {
        let spec = ModelSpec::from_toml(TURNTABLE).unwrap();
        let options = CampbellOptions { samples: 9, ..CampbellOptions::default() };
        campbell(&spec, &SpeedOf::Joint("axle".to_owned()), range, &options, &mut NoJournal).unwrap()
    }

    fn warned(found: &Campbell) -> Vec<String> {
        found.notes("W", 0).into_iter().filter(|note| note.warns).map(|note| note.words).collect()
    }

    #[test]
    fn growth_is_said_to_be_absent_where_every_eigenvalue_has_digits_alone() {
        let mut found = diagram([1.0, 10.0]);
        assert_eq!(found.growth_in_words(), "nothing grows");
        assert!(found.undetermined().is_none() && warned(&found).is_empty());
        let point = found.modes.iter_mut().flatten().flatten().find(|m| m.s.norm() > 0.0).unwrap();
        point.error = point.s.norm();
        assert!(found.growth_in_words().contains("may grow"), "{}", found.growth_in_words());
        assert_eq!(warned(&found), [found.undetermined().unwrap()]);
        assert!(found.summary().ends_with("whether they grow is not known."), "{}", found.summary());
    }

    #[test]
    fn what_was_not_solved_for_is_neither_said_to_be_absent_nor_left_out() {
        let mut found = diagram([1.0, 10.0]);
        found.critical.clear();
        assert_eq!(found.critical_in_words(), "no mode cuts a line");
        found.unsolved = vec![Unsolved { mode: 0, order: 2.0, between: [3.0, 4.0] }; 8];
        assert_eq!(found.critical_in_words(), "no critical speed was solved for");
        assert_eq!(found.growth_in_words(), "nothing grows at these speeds");
        let [note] = &warned(&found)[..] else { panic!("one warning") };
        assert!(note.contains("mode 0 and 2 per revolution") && note.ends_with("2 more"), "{note}");
        assert!(found.notes("W", 1)[0].words.contains("mode 1 and 2"));
    }

    #[test]
    fn growth_is_named_with_both_ends() {
        let found = diagram([20.0, 30.0]);
        assert_eq!(found.growth_in_words(), "motion grows from beyond the range to beyond the range");
    }
}
