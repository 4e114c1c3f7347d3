//! The words next to a picture.

use crate::flow::moving::whirl_word;
use crate::render::modes::{Line, class, shown};
use crate::render::{six, tiny};

/// Number, frequency and damping.
pub(crate) fn title(line: &Line<'_>) -> String {
    let value = shown(line.pair).map(|s| match (s.re, s.im) {
        (0.0, 0.0) => "0 Hz".to_owned(),
        (re, 0.0) => format!("{} 1/s", six(re)),
        (_, im) => format!("{} Hz", six(im.abs() / std::f64::consts::TAU)),
    });
    let damping = shown(line.pair)
        .filter(|s| s.re != 0.0 && s.im != 0.0)
        .map(|s| format!("zeta = {}", six(-s.re / s.norm())));
    let told: Vec<String> = value.into_iter().chain(damping).collect();
    format!("mode {}:  {}", line.number, told.join(",  "))
}

/// Class, sense in which it goes round, value and error; `whirl` as [`whirl_word`] takes it.
pub(crate) fn subtitle(line: &Line<'_>, whirl: Option<f64>) -> String {
    let value = shown(line.pair).map(|s| {
        let im = line.imaginary(s);
        match (s.re, s.im) {
            (re, 0.0) => format!("s = {} rad/s", six(re)),
            (0.0, _) => format!("s = {im}i rad/s"),
            (re, _) => format!("s = {} {im}i rad/s", six(re)),
        }
    });
    let bound = line.pair.error_bound;
    let error = bound.is_finite().then(|| format!("error {}", tiny(bound)));
    let sense = Some(whirl_word(whirl).to_owned()).filter(|word| !word.is_empty());
    [class(line.pair)].into_iter().chain(sense).chain(value).chain(error).collect::<Vec<_>>().join(", ")
}
