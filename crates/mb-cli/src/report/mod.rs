//! The page of a model: what the commands found, as [`mb_report`] shows it.

mod curves;
mod shapes;
mod tables;

use crate::args::ReportArgs;
use crate::commands::modes::Modes;
use crate::flow::Site;
use crate::flow::drawing::Drawing;
use crate::names;
use crate::render::{Style, modes, summary};
use crate::source::Loaded;
pub use curves::{charts, check};
use mb_analysis::history;
use mb_constraints::simulate::Trajectory;
use mb_report::{Chart, Report};

/// Where the page says that more outputs are.
const FILES: &str = "the file of `mb simulate --output FILE`";

/// The program and its version.
const PROGRAM: &str = concat!("mb ", env!("CARGO_PKG_VERSION"));

/// The page of an analysis, with a motion where one was simulated and the charts that were asked for.
pub fn page(found: &Modes, motion: Option<&Trajectory>, asked: Vec<Chart>, args: &ReportArgs) -> Report {
    let model = &found.loaded.model;
    let point = found.site.point();
    let drawing = Drawing::new(model, &point.q);
    let result = &found.results[0];
    let lines = modes::lines(&result.spectrum, args.request.all);
    let mut notes = notes(found, &lines);
    let (shapes, still) =
        shapes::of(model, &point.q, &drawing, (&lines, &result.whirl), &found.shares, args.shapes);
    let (tables, long) = tables::all(found, &lines);
    notes.extend(still);
    notes.extend(long);
    let (complete, notes): (Vec<String>, Vec<String>) = notes
        .into_iter()
        .partition(|n| n.starts_with("no mode is missing") || n.starts_with("no eigenvalue is missing"));
    Report {
        title: model.name.clone(),
        source: format!("{}; {}", source(&found.loaded), result.name),
        program: PROGRAM.to_owned(),
        facts: facts(found),
        modes: Some(tables::modes(&lines, result)),
        statement: std::iter::once(modes::counts(result).trim().to_owned())
            .chain(complete)
            .collect::<Vec<_>>()
            .join("; "),
        shapes,
        motion: motion.map(|m| history::frames(model, &drawing, m, args.frames)),
        charts: asked
            .into_iter()
            .chain(motion.into_iter().flat_map(|m| history::charts(model, m, FILES)))
            .collect(),
        tables,
        notes: mb_analysis::sentences::all(&notes),
        scene: drawing.scene,
    }
}

/// The page of a motion alone, where there is no equilibrium for the reason `why`.
pub fn motion_page(loaded: &Loaded, motion: Option<&Trajectory>, why: &str, args: &ReportArgs) -> Report {
    let model = &loaded.model;
    let start = motion.filter(|m| !m.is_empty()).map_or(model.initial(), |m| m.q_at(0));
    let drawing = Drawing::new(model, start);
    let notes = [why.trim_end_matches('.').to_owned(), "the page shows the motion, without modes".to_owned()];
    let count = |name: &str, n: usize| (name.to_owned(), n.to_string());
    Report {
        title: model.name.clone(),
        source: source(loaded),
        program: PROGRAM.to_owned(),
        facts: vec![count("coordinates", model.nv()), count("constraint rows", model.nc())],
        motion: motion.map(|m| history::frames(model, &drawing, m, args.frames)),
        charts: motion.into_iter().flat_map(|m| history::charts(model, m, FILES)).collect(),
        notes: mb_analysis::sentences::all(&notes),
        scene: drawing.scene,
        ..Report::default()
    }
}

/// File and changed parameters.
fn source(loaded: &Loaded) -> String {
    let set = loaded.set.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let with = if set.is_empty() { String::new() } else { format!(" with {set}") };
    format!("{}{with}", loaded.file)
}

fn facts(found: &Modes) -> Vec<(String, String)> {
    let rank = &found.rank;
    let site = summary::site_line(&found.site, Style::default());
    let (name, state) = site.trim().split_once(": ").unwrap_or(("state", site.trim()));
    // The hint on other strategies belongs to the terminal.
    let state = state.lines().next().unwrap_or_default();
    let frame = found.site.steady().map(|motion| ("seen from", motion.frame().to_string()));
    [
        ("degrees of freedom", rank.degrees_of_freedom().to_string()),
        ("coordinates", rank.velocities.to_string()),
        ("constraint rows", format!("{} of rank {}", rank.rows, rank.rank())),
        ("redundant rows", rank.redundant.len().to_string()),
        (name, state.to_owned()),
    ]
    .into_iter()
    .chain(frame)
    .map(|(name, text)| (name.to_owned(), text))
    .collect()
}

fn notes(found: &Modes, lines: &[modes::Line<'_>]) -> Vec<String> {
    let mut notes = summary::start_notes(&found.loaded.model, found.site.start());
    notes.extend(summary::redundancy_notes(&found.rank));
    if found.chosen {
        let most = names::count(lines.len(), "mode of lowest frequency is", "modes of lowest frequency are");
        notes.push(format!("the model is large: only the {most} shown"));
    }
    for result in &found.results {
        let several = found.results.len() > 1;
        let words = modes::findings(result, false).into_iter();
        notes.extend(words.map(|w| if several { format!("{}: {w}", result.name) } else { w }));
    }
    notes.extend(summary::steadiness(&found.site));
    notes.extend(summary::rolling(&found.loaded.model, &found.site));
    notes.extend(summary::own_speeds(&found.loaded.model, &found.site));
    if let Site::Motion(_) = found.site {
        notes.push("mode shapes are drawn over the configuration of the instant".to_owned());
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_model::Model;

    #[test]
    #[expect(clippy::float_cmp, reason = "the same function of the same numbers")]
    fn nodes_are_shared_by_places_that_move_together() {
        let text = crate::gallery::find("solid-cantilever").unwrap().text;
        let model = Model::from_toml(text).unwrap();
        let drawing = Drawing::new(&model, model.initial());
        let scene = &drawing.scene;
        assert!(scene.quads.len() > 10 && scene.owners.len() < 10, "{:?}", scene.owners);
        // Each inner node of a surface of quadrilaterals has four faces, so that there are about as many nodes as faces.
        assert!(scene.nodes.len() < 2 * scene.quads.len(), "{} {}", scene.nodes.len(), scene.quads.len());
        for (node, place) in scene.nodes.iter().zip(&drawing.places) {
            assert_eq!(*node, model.place_at(place, model.initial()));
        }
    }
}
