//! Every model of the fixtures is read, built and written back.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use mb_model::ModelSpec;
use std::path::PathBuf;

/// The models of the fixtures, by file name.
pub(crate) fn fixtures() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../mb-gallery/models");
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read_to_string(&path).unwrap(),
            )
        })
        .collect();
    all.sort();
    assert!(all.len() >= 9);
    all
}

#[test]
fn every_fixture_builds_and_survives_writing_and_reading() {
    for (file, text) in fixtures() {
        let spec = ModelSpec::from_toml(&text).unwrap_or_else(|e| panic!("{file}: {e}"));
        let model = spec.build().unwrap_or_else(|e| panic!("{file}: {}", e.located(&text)));
        assert!(model.nv() > 0 && model.initial().iter().all(|x| x.is_finite()), "{file}");
        let again = ModelSpec::from_toml(&spec.to_toml().unwrap()).unwrap();
        assert_eq!(again, spec, "{file}");
    }
}

#[test]
fn the_four_bar_family_has_its_coordinates_in_order() {
    let (_, text) = fixtures().into_iter().find(|(file, _)| file == "n-four-bar.toml").unwrap();
    let mut spec = ModelSpec::from_toml(&text).unwrap();
    for n in [1_usize, 5, 20] {
        spec.set_parameter("N", i32::try_from(n).unwrap()).unwrap();
        let model = spec.build().unwrap();
        assert_eq!((model.nv(), model.nc()), (2 * n + 3, 2 * n + 2));
        assert_eq!(model.coordinate_name(2 * n + 2), "phi.angle");
        assert_eq!(model.coordinate_name(2 * n), format!("B{n}.x"));
        assert_eq!(model.row_name(2 * n + 1), "angle 'phi' (angle)");
        // The family starts as a parallelogram, so every constraint holds.
        let worst = model.phi(model.initial(), 0.0).into_iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(worst < 1e-14, "{worst:e}");
    }
}

/// The rod has no start of its own: crank, slider and the pins between them give it.
#[test]
fn the_slider_crank_closes_at_the_start() {
    let (_, text) = fixtures().into_iter().find(|(file, _)| file == "slider-crank.toml").unwrap();
    let model = mb_model::Model::from_toml(&text).unwrap();
    let worst = model.phi(model.initial(), 0.0).into_iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    assert!(worst < 1e-15, "{worst:e}");
}
