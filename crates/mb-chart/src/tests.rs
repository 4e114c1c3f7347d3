//! Axes, bands, names of curves.

use super::*;

fn chart(scale: Scale, points: Vec<[f64; 2]>) -> String {
    let curves = vec![Curve::line("a < b", 0, points)];
    let panels = vec![Panel { ordinate: "f, Hz".into(), scale, curves }];
    Chart { title: "t".into(), abscissa: "k, N/m".into(), panels, equal: false }.svg()
}

#[test]
fn axes_have_round_steps() {
    let axis = Axis::linear([0.3, 9.7], true, [0.0, 1.0]);
    assert_eq!((axis.from, axis.to, axis.step), (0.0, 10.0, 2.0));
    assert_eq!(axis.ticks().len(), 6);
    assert_eq!(Axis::linear([-0.1, 0.1], true, [0.0, 1.0]).word(-0.05), "-0.05");
    let decades = Axis::decades([2e-7, 3.0], 1e-5, [0.0, 1.0]);
    assert_eq!((decades.from, decades.to, decades.word(-5.0).as_str()), (-5.0, 1.0, "1e-5"));
}

#[test]
fn curves_without_names_leave_no_room_for_them() {
    let chart = |name: &str| {
        let curve = Curve::line(name, 0, vec![[0.0, 0.0], [1.0, 1.0]]);
        let panel = Panel { ordinate: "y".into(), scale: Scale::Linear, curves: vec![curve] };
        Chart { title: "t".into(), abscissa: "x".into(), panels: vec![panel], equal: false }.svg()
    };
    for (name, right) in [("tip", RIGHT[0]), ("", RIGHT[1])] {
        assert!(chart(name).contains(&format!("L{} ", place(WIDTH - right))), "{name}");
    }
}

#[test]
fn what_is_zero_or_constant_has_no_axis_of_another_size() {
    let labels = |text: &str| text.matches("text-anchor=\"end\"").count();
    let zero = chart(Scale::Linear, vec![[0.0, 0.0], [1.0, 0.0]]);
    assert!(labels(&zero) == 1 && zero.contains("text-anchor=\"end\">0</text>"), "{zero}");
    let none = chart(Scale::Logarithmic { floor: 1e-6 }, vec![[0.0, 0.0], [1.0, f64::NAN]]);
    assert!(labels(&none) == 0 && none.contains("zero throughout"), "{none}");
    let constant = Axis::linear([2e-6, 2e-6], true, [0.0, 1.0]);
    assert!(constant.from >= 0.0 && constant.to <= 4e-6, "{constant:?}");
    // Time begins where the first value is, drawn or not.
    let late = chart(Scale::Logarithmic { floor: 1e-6 }, vec![[0.0, f64::NAN], [0.4, 1.0], [1.0, 2.0]]);
    assert!(late.contains("text-anchor=\"middle\">0.0</text>"), "{late}");
}

#[test]
fn nothing_that_is_not_a_number_is_drawn() {
    let broken = vec![[0.0, 1.0], [1.0, 2.0], [2.0, f64::NAN], [3.0, 1.0], [4.0, f64::INFINITY]];
    for scale in [Scale::Linear, Scale::Logarithmic { floor: 1e-6 }] {
        let text = chart(scale, broken.clone());
        assert!(!text.contains("NaN") && !text.contains("inf") && text.contains("a &lt; b"), "{text}");
        assert_eq!(text.matches("stroke-width").count(), 2, "two stretches");
    }
    for few in [vec![], vec![[1.0, 5.0]], vec![[0.0, 0.0], [1.0, 0.0]]] {
        let text = chart(Scale::Linear, few);
        assert!(text.ends_with("</svg>\n") && !text.contains("NaN") && !text.contains("inf"), "{text}");
    }
}

#[test]
fn a_band_has_the_width_of_the_error() {
    let mut curve = Curve::line("", 0, vec![[0.0, 1.0], [1.0, 1.0]]);
    curve.band = vec![1.0, f64::INFINITY];
    let panels = vec![Panel { ordinate: String::new(), scale: Scale::Linear, curves: vec![curve] }];
    let text = Chart { title: String::new(), abscissa: String::new(), panels, equal: false }.svg();
    assert!(text.contains("fill-opacity") && !text.contains("inf"), "{text}");
}

/// The places of the points of the last line that is drawn.
fn line_of(text: &str) -> Vec<[f64; 2]> {
    let (before, _) = text.rsplit_once("\" fill=\"none\" stroke=\"#000000\"").unwrap();
    let path = before.rsplit_once("d=\"M").unwrap().1;
    let number = |word: &str| word.parse::<f64>().unwrap();
    path.split('L').map(|p| p.split_once(' ').unwrap()).map(|(x, y)| [number(x), number(y)]).collect()
}

#[test]
fn a_circle_stays_one_with_equal_axes() {
    for (size, centre) in [([3.0, 3.0], [0.0, -3.0]), ([1e-7, 1e-7], [5e-7, 0.0])] {
        let circle = (0..=360).map(f64::from).map(|degrees| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            [centre[0] + size[0] * cos, centre[1] + size[1] * sin]
        });
        let curves = vec![Curve::line("", 0, circle.collect())];
        let panel = Panel { ordinate: "imaginary part".into(), scale: Scale::Linear, curves };
        let chart =
            Chart { title: "t".into(), abscissa: "real part".into(), panels: vec![panel], equal: true };
        let places = line_of(&chart.svg());
        let [wide, high] = [0, 1].map(|k| range(places.iter().map(|p| p[k]))).map(|[low, high]| high - low);
        // Places are rounded to a tenth.
        assert!((wide - high).abs() <= 0.2 && wide > 300.0, "{wide} {high}");
    }
}

#[test]
fn a_magnitude_begins_at_zero() {
    for points in [vec![[0.0, 2.0], [1.0, 2.5]], vec![[0.0, 1e-3], [1.0, 1e-3]], vec![[0.0, 0.0]]] {
        let mut curve = Curve::line("", 0, points);
        curve.band = vec![3.0; curve.points.len()];
        let panel = Panel { ordinate: String::new(), scale: Scale::FromZero, curves: vec![curve] };
        let axis = panel.axis([0.0, 1.0]);
        assert!(axis.from.abs() < f64::MIN_POSITIVE, "{axis:?}");
    }
}

#[test]
fn a_name_at_the_end_of_its_curve_is_not_in_the_legend() {
    let line = Curve::dashes("2x", 0, vec![[0.0, 0.0], [1.0, 2.0], [2.0, f64::NAN]]).named_at_end();
    let panel = Panel { ordinate: String::new(), scale: Scale::Linear, curves: vec![line] };
    let text =
        Chart { title: String::new(), abscissa: String::new(), panels: vec![panel], equal: false }.svg();
    let name = text.lines().find(|l| l.contains(">2x<")).unwrap();
    // Half of the width, where the line ends; no room for a legend.
    let end = place(LEFT + 0.5 * (WIDTH - RIGHT[1] - LEFT) - 3.0);
    assert!(name.contains(&format!("x=\"{end}\"")) && text.matches(">2x<").count() == 1, "{name}");
}

#[test]
fn a_long_name_loses_its_middle_and_is_told_whole() {
    assert_eq!(
        (shortened("short", 5).as_str(), shortened("abcdefghij", 5).as_str(), shortened("ab", 1).as_str()),
        ("short", "ab…ij", "…")
    );
    let name = "height of the floor / force on the wheel in front, left <side>";
    let curve = Curve::line(name, 0, vec![[0.0, 0.0], [1.0, 1.0]]);
    let panel = Panel { ordinate: "y".into(), scale: Scale::Linear, curves: vec![curve] };
    let text = Chart { title: "t".into(), abscissa: "x".into(), panels: vec![panel], equal: false }.svg();
    let shown = format!(">{}<title>{}</title></text>", escaped(&shortened(name, LEGEND)), escaped(name));
    assert!(text.contains(&shown), "{text}");
}

#[test]
fn a_panel_is_as_high_as_its_legend_needs() {
    let curve = |k: usize| Curve::line(&format!("curve {k}"), k, vec![[0.0, k as f64], [1.0, 2.0]]);
    let panels = [3, 40].map(|n| Panel {
        ordinate: "y".into(),
        scale: Scale::Linear,
        curves: (0..n).map(curve).collect(),
    });
    let text = Chart { title: "t".into(), abscissa: "x".into(), panels: panels.into(), equal: false }.svg();
    let of = |text: &str, key: &str| -> f64 {
        let rest = &text[text.find(key).unwrap() + key.len()..];
        rest[..rest.find('"').unwrap()].parse().unwrap()
    };
    let box_of_all = &text[text.find("viewBox=\"0 0 760 ").unwrap() + "viewBox=\"0 0 760 ".len()..];
    let height: f64 = box_of_all[..box_of_all.find('"').unwrap()].parse().unwrap();
    let names: Vec<&str> = text.match_indices(">curve ").map(|(at, _)| &text[..at]).collect();
    let heights = names.iter().map(|before| of(&before[before.rfind("<text").unwrap()..], " y=\""));
    assert_eq!(names.len(), 43);
    assert!(heights.fold(0.0, f64::max) <= height - BOTTOM);
}

#[test]
fn a_long_line_keeps_its_extremes() {
    // A million points of an oscillation, with one peak.
    let mut points: Vec<[f64; 2]> =
        (0..1_000_000).map(|k| f64::from(k) * 1e-6).map(|t| [t, (900.0 * t).sin()]).collect();
    points[500_000][1] = 3.0;
    let panels = vec![Panel {
        ordinate: String::new(),
        scale: Scale::Linear,
        curves: vec![Curve::line("", 0, points)],
    }];
    let svg = Chart { title: String::new(), abscissa: String::new(), panels, equal: false }.svg();
    let line = svg.lines().find(|l| l.contains("stroke-width=\"1.3\"")).expect("a line");
    let heights: Vec<f64> = line
        .split(['M', 'L', '"'])
        .filter_map(|p| p.split_once(' '))
        .filter_map(|(_, y)| y.parse().ok())
        .collect();
    assert!((1000..8000).contains(&heights.len()), "{}", heights.len());
    let [low, high] = [f64::min, f64::max].map(|f| heights.iter().copied().reduce(f).expect("points"));
    // From 3 to -1, of which the oscillation takes the lower half.
    let most = heights.iter().filter(|y| **y < 0.5 * (low + high) - 2.0).count();
    assert_eq!(most, 1, "one peak");
}
