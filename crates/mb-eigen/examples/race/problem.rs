//! The cases of the race by name: a letter for the family, about how many unknowns, and with an x how many modes.
//!
//! ```text
//! c, g  chain of bars, free and tied to the ground (chain.rs)
//! h     block of hexahedra, one face clamped by multipliers; unknowns 3 p^3 + 3 p^2 for p nodes a side
//! s, p  the same, slender and flat
//! t     two blocks with meshes that do not match (tie.rs)
//! f     plane frame with joints off the nodes (frame.rs)
//! r, q  block with 100 constraints over all coordinates, and with 1,000 over 30 each (attached.rs)
//! d     block whose halves are damped in proportion to their stiffness, each by its own factor
//! b     block with 20 dashpots (attached.rs)
//! y     block that spins about the axis of its clamp
//! u     block with circulatory forces, K is not symmetric (attached.rs)
//! ```
//!
//! Of d, b, y and u the s nearest to a point are asked for, of the others the lowest w = -s^2.

use std::fs;
use std::io;
use std::path::Path;

use mb_algebra::{QuadraticPencil, Sparse, c64};
use mb_eigen::sparse::Request;

use crate::attached;
use crate::chain::Chain;
use crate::families::solid::Solid;
use crate::frame::Frame;
use crate::npy;
use crate::tie::Tie;

/// Modes asked for, and eigenvalues near a point, unless the name says how many.
const LOWEST: usize = 20;
const NEAREST: usize = 10;
/// Damping over stiffness of the halves of a damped block, s.
const DAMPING: [f64; 2] = [4e-6, 1.6e-5];
/// Spin of a gyroscopic block, rad/s.
const SPIN: f64 = 800.0;
/// Dashpots, and their rate, N s/m: about a tenth of critical damping of the first modes.
const DASHPOTS: (usize, f64) = (20, 5e5);
/// Circulatory forces, 1/s^2: below the squares of the lowest frequencies.
const CIRCULATORY: f64 = 1e6;
/// Constraints over all coordinates; others, and the coordinates of each.
const DENSE_ROWS: usize = 100;
const HALF_DENSE_ROWS: (usize, usize) = (1000, 30);
/// The point near which eigenvalues of damped blocks are sought, rad/s: among the first dozen modes.
const DAMPED_POINT: c64 = c64::new(-500.0, 10_000.0);
/// The same of blocks that do not decay: near the axis, where no eigenvalue is hit.
const UNDAMPED_POINT: c64 = c64::new(100.0, 10_000.0);

/// A family at a size.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Chain(Chain),
    Block(Solid),
    Tie(Tie),
    Frame(Frame),
    DenseRows(Solid),
    HalfDenseRows(Solid),
    Dashpots(Solid),
    Circulatory(Solid),
}

/// Matrices and what is asked of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    shape: Shape,
    /// The point near which eigenvalues are sought; none for the lowest modes.
    point: Option<c64>,
    /// How many.
    count: usize,
}

/// Cells of a block by the number of unknowns.
fn block(family: &str, size: &str) -> Result<Solid, String> {
    let cells = match (family, size) {
        ("s", "1e4") => [92, 5, 5],
        ("s", "1e5") => [270, 10, 10],
        ("p", "1e4") => [40, 40, 1],
        ("p", "1e5") => [90, 90, 3],
        ("s" | "p", _) => return Err(format!("{family}{size}: the sizes are {family}1e4 and 1e5")),
        (_, "1e3") => [6; 3],
        (_, "1e4") => [14; 3],
        (_, "3e4") => [20; 3],
        (_, "1e5") => [31; 3],
        (_, "3e5") => [45; 3],
        (_, "1e6") => [756, 20, 20],
        _ => {
            let sizes = "1e3, 1e4, 3e4, 1e5, 3e5 and 1e6 (slender)";
            return Err(format!("{family}{size}: the sizes of blocks are {sizes}"));
        }
    };
    Ok(Solid { cells, clamped: true, damping: [0.0; 2], spin: 0.0 })
}

impl Case {
    /// The case of a name.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        let (case, count) = name.split_once('x').map_or((name, None), |(case, count)| (case, Some(count)));
        let (family, size) = case.split_at_checked(1).ok_or("the name of a case")?;
        let about = || match size.parse::<f64>() {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
            Ok(unknowns) if (100.0..1e8).contains(&unknowns) => Ok(unknowns as usize),
            _ => Err(format!("{name}: a number of unknowns from 100 on follows, as in {family}1e4")),
        };
        let (shape, point) = match family {
            "c" | "g" => (Shape::Chain(Chain::of_size(about()?, family == "g")), None),
            "f" => (Shape::Frame(Frame::of_size(about()?)), None),
            "t" => {
                let Solid { cells: [fine, ..], .. } = block(family, size)?;
                (Shape::Tie(Tie { fine, coarse: 3 * fine / 4 }), None)
            }
            "h" | "s" | "p" => (Shape::Block(block(family, size)?), None),
            "r" => (Shape::DenseRows(block(family, size)?), None),
            "q" => (Shape::HalfDenseRows(block(family, size)?), None),
            "d" => (Shape::Block(Solid { damping: DAMPING, ..block(family, size)? }), Some(DAMPED_POINT)),
            "y" => (Shape::Block(Solid { spin: SPIN, ..block(family, size)? }), Some(UNDAMPED_POINT)),
            "b" => (Shape::Dashpots(block(family, size)?), Some(DAMPED_POINT)),
            "u" => (Shape::Circulatory(block(family, size)?), Some(UNDAMPED_POINT)),
            _ => return Err(format!("{name}: the families are c, g, h, s, p, t, f, r, q, d, b, y and u")),
        };
        let usual = if point.is_some() { NEAREST } else { LOWEST };
        let count =
            count.map_or(Ok(usual), str::parse).map_err(|_| format!("{name}: a number follows the x"))?;
        Ok(Self { shape, point, count })
    }

    /// M, C, K and Phi_q.
    pub(crate) fn pencil(&self) -> QuadraticPencil<Sparse> {
        match self.shape {
            Shape::Chain(chain) => chain.pencil(),
            Shape::Block(solid) => solid.pencil(),
            Shape::Tie(tie) => tie.pencil(),
            Shape::Frame(frame) => frame.pencil(),
            Shape::DenseRows(solid) => attached::constrained(solid.pencil(), DENSE_ROWS, None),
            Shape::HalfDenseRows(solid) => {
                attached::constrained(solid.pencil(), HALF_DENSE_ROWS.0, Some(HALF_DENSE_ROWS.1))
            }
            Shape::Dashpots(solid) => attached::damped(solid.pencil(), DASHPOTS.0, DASHPOTS.1),
            Shape::Circulatory(solid) => attached::circulatory(solid.pencil(), CIRCULATORY),
        }
    }

    /// The point near which eigenvalues are sought.
    pub(crate) const fn point(&self) -> Option<c64> {
        self.point
    }

    /// What is asked.
    pub(crate) const fn request(&self) -> Request {
        match self.point {
            Some(s) => Request::NearPoint { s, count: self.count },
            None => Request::Lowest { count: self.count },
        }
    }

    /// Writes matrices and description to a folder.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let pencil = self.pencil();
        fs::create_dir_all(folder)?;
        for (name, matrix) in [("k", &pencil.k), ("m", &pencil.m), ("c", &pencil.c), ("g", &pencil.phi_q)] {
            npy::write_rows(folder, name, matrix)?;
        }
        let list = |values: Vec<f64>| values.iter().map(|v| format!("{v:e}")).collect::<Vec<_>>().join(", ");
        let (exact, shifts) = match self.shape {
            Shape::Chain(chain) => (chain.exact(self.count), chain.shifts()),
            _ => (Vec::new(), vec![0.0]),
        };
        let text = format!(
            "{{\"unknowns\": {}, \"constraints\": {}, \"count\": {}, \"shifts\": [{}], \"point\": [{}], \"exact\": [{}]}}\n",
            pencil.k.rows(),
            pencil.phi_q.rows(),
            self.count,
            list(shifts),
            list(self.point.map_or_else(Vec::new, |s| vec![s.re, s.im])),
            list(exact)
        );
        fs::write(folder.join("case.json"), text)
    }
}
