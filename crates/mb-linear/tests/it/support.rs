//! Models built element by element, independent of the model file.

use mb_algebra::{Dense, SymmetricDefiniteEigen};
use mb_model::element::{AngleOfLine, Distance, LineForm, Place, Rod, Spring};
use mb_model::{BlockId, BlockKind, Element, Model, Wiring};

/// Data of the N-loop four-bar linkage of [gonzalez2017].
#[derive(Clone, Copy, Debug)]
pub(crate) struct FourBar {
    pub(crate) loops: usize,
    pub(crate) stiffness: f64,
    pub(crate) damping: f64,
    pub(crate) gravity: [f64; 3],
    /// Inclination of the cranks at the start.
    pub(crate) angle: f64,
}

/// The linkage: unit rods, springs B_i to A_(i-1) with natural length sqrt 2.
pub(crate) fn four_bar(data: FourBar) -> Model {
    let mut m = Model::new("n-four-bar", data.gravity);
    let (sin, cos) = data.angle.sin_cos();
    let tips: Vec<BlockId> = (0..=data.loops)
        .map(|i| m.add_block(format!("B{i}"), BlockKind::PlanarPoint, &[i as f64 + cos, sin]))
        .collect();
    let phi = m.add_block("phi", BlockKind::Angle, &[data.angle]);
    let ground = |i: usize| Place::Ground([i as f64, 0.0, 0.0]);
    let add_rod = |m: &mut Model, name: String, a: Option<(usize, BlockId)>, b: BlockId| {
        let mut w = Wiring::default();
        let first = match a {
            Some((_, id)) => m.place(&mut w, id, [0.0; 2]),
            None => ground(name[1..].parse().unwrap_or(0)),
        };
        let ends = [first, m.place(&mut w, b, [0.0; 2])];
        let blocks = w.into_blocks();
        let rod = Rod { ends, mass: 1.0, alpha: 0.0 };
        let bar = Distance { a: ends[0], b: ends[1], length: 1.0 };
        m.add_element(format!("rod '{name}'"), Element::Rod(rod), blocks.clone(), vec![]);
        m.add_element(format!("rod '{name}'"), Element::Distance(bar), blocks, vec![]);
    };
    for (i, tip) in tips.iter().enumerate() {
        add_rod(&mut m, format!("A{i}"), None, *tip);
        if i > 0 {
            add_rod(&mut m, format!("B{i}"), Some((i - 1, tips[i - 1])), *tip);
            let mut w = Wiring::default();
            let b = m.place(&mut w, *tip, [0.0; 2]);
            let spring = Spring {
                a: ground(i - 1),
                b,
                stiffness: data.stiffness,
                natural_length: 2.0_f64.sqrt(),
                damping: data.damping,
            };
            m.add_element(format!("spring {i}"), Element::Spring(spring), w.into_blocks(), vec![]);
        }
    }
    let mut w = Wiring::default();
    let b = m.place(&mut w, tips[data.loops], [0.0; 2]);
    let angle = m.angle(&mut w, phi);
    let tie = AngleOfLine { angle, a: ground(data.loops), b, length: 1.0, form: LineForm::Sine };
    m.add_element("angle 'phi'", Element::AngleOfLine(tie), w.into_blocks(), vec![]);
    m
}

/// One degree of freedom: M(phi), V'(phi), V''(phi), C(phi) of the parallelogram, in closed form.
pub(crate) fn closed_form(loops: usize, k: f64, c: f64, g: f64, phi: f64) -> [f64; 4] {
    let n = loops as f64;
    let (mass, weight) = ((n + 1.0) / 3.0 + n, (1.5 * n + 0.5) * g);
    // V = weight sin(phi) + n k / 2 (2 cos(phi/2) - l0)^2
    let (s, h) = (2.0 * (phi / 2.0).cos() - 2.0_f64.sqrt(), (phi / 2.0).sin());
    let slope = weight * phi.cos() - n * k * s * h;
    let curvature = -weight * phi.sin() + n * k * (h * h - 0.5 * s * (phi / 2.0).cos());
    [mass, slope, curvature, n * c * h * h]
}

/// Frequencies sqrt(w) of K x = w M x.
pub(crate) fn frequencies(k: &Dense, m: &Dense) -> Vec<f64> {
    SymmetricDefiniteEigen::new(k, m).unwrap().values.iter().map(|w| w.abs().sqrt() * w.signum()).collect()
}
