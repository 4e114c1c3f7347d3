//! Appendix A.1: every expression written out there, evaluated and compared with the model.
//!
//! ```text
//! M = dr/da,   K = dr/dq at rest,   C = dr/dv (columns of the angles halved),   f = -r at rest
//! ```
//!
//! r(q, v, a, u) is the residual M(q_r) a + C(q_r, qd_r) v + K(q_r) q - f: linear in q_f at rest, and in v of two kinds,
//! qd_r with qd_f and each qd_r with itself, which is why the half of its derivative by an angle's speed is C.
//!
//! Paper: [palomba2019] Eqs. (A2), (A3), (A4), (A5).
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use std::collections::BTreeMap;

use mb_gallery::models::ErlsArm;
use mb_gallery::{Computed, Table};
use mb_model::spec::Value;
use mb_model::{ModelSource, ModelSpec, Point};

use crate::answers::{Answer, Answers};

/// Elastic coordinates of the appendix, which stand before the two angles.
const ELASTIC: usize = 21;
/// Degrees of freedom.
const FREE: usize = 23;

/// Numbers by name.
type Names = BTreeMap<String, f64>;

/// Angles, speeds and motors of the poses at which expressions are compared: rad, rad/s, N m.
const POSES: [[[f64; 2]; 3]; 3] = [
    [[1.2607, 5.1918], [0.8915, -0.8640], [3.4787, 0.8309]],
    [[0.7, -0.4], [1.1, -0.6], [-2.0, 1.0]],
    [[-2.1, 0.9], [-0.7, 1.3], [0.5, -4.0]],
];

/// The arm at one pose: the symbols of the appendix and the entries of its matrices.
pub(super) struct Pose {
    /// Parameters, state and all symbols by their printed formulas.
    symbols: Names,
    /// `K_3_6`, `M_22_4`, `C_1_2`, `f_12`: entries of the model without damping, counted from 1; `D_i_j`: C with damping.
    entries: Names,
}

impl Pose {
    /// An entry of the model's matrices over a symbol.
    pub(super) fn ratio(&self, entry: &str, symbol: &str) -> Result<f64, String> {
        let known = |list: &Names, name: &str| list.get(name).copied().ok_or_else(|| format!("no `{name}`"));
        Ok(known(&self.entries, entry)? / known(&self.symbols, symbol)?)
    }
}

/// The arm at all poses, with the symbols of the table.
pub(super) fn poses(symbols: &Table) -> Result<Vec<Pose>, String> {
    let formulas: Vec<(String, String)> = symbols
        .rows
        .iter()
        .filter_map(|row| {
            let name = row.label.strip_prefix("symbol=")?;
            Some((name.to_owned(), row.cell("printed")?.text.clone()))
        })
        .collect();
    let one = |[q, qd, u]: &[[f64; 2]; 3]| {
        let arm = ErlsArm::table_2();
        let mut known = arm.parameters();
        for i in 0..2 {
            let named = [("q", q[i]), ("qd", qd[i]), ("u", u[i])];
            known.extend(named.map(|(name, x)| (format!("{name}{}", i + 1), x)));
        }
        Ok(Pose { symbols: evaluated(&known, &formulas)?, entries: entries(&arm, *q, *qd, *u)? })
    };
    POSES.iter().map(one).collect()
}

/// The values of formulas, which may name each other, with those that are known.
fn evaluated(known: &Names, formulas: &[(String, String)]) -> Result<Names, String> {
    let mut spec = ModelSpec::default();
    spec.parameters.extend(known.iter().map(|(name, x)| (name.clone(), Value::Number(*x))));
    spec.parameters.extend(formulas.iter().map(|(name, f)| (name.clone(), Value::Expression(f.clone()))));
    spec.parameter_values().map_err(|e| e.to_string())
}

/// One expression with names that are known.
fn value(known: &Names, expression: &str) -> Result<f64, String> {
    const WANTED: &str = "wanted";
    let all = evaluated(known, &[(WANTED.to_owned(), expression.to_owned())])?;
    all.get(WANTED).copied().ok_or_else(|| "no value".to_owned())
}

/// The entries of the model's matrices by name.
fn entries(arm: &ErlsArm, q: [f64; 2], qd: [f64; 2], u: [f64; 2]) -> Result<Names, String> {
    let undamped = ErlsArm { damping: [0.0; 2], ..arm.clone() };
    let build = |arm: &ErlsArm| arm.model::<f64>(&BTreeMap::new()).map_err(|e| e.to_string());
    let (model, damped) = (build(&undamped)?, build(arm)?);
    // Deflections, to show that no matrix depends on them: a millimetre, a milliradian.
    let deflected = (0..ELASTIC).map(|i| 1e-3 * (1.0 + i as f64).sin());
    let still = Point {
        q: deflected.chain(q).collect(),
        v: vec![0.0; FREE],
        a: vec![0.0; FREE],
        lambda: Vec::new(),
        t: 0.0,
        u: u.to_vec(),
    };
    let moving = Point { v: [vec![0.0; ELASTIC], qd.to_vec()].concat(), ..still.clone() };
    let undeflected = Point { q: [vec![0.0; ELASTIC], q.to_vec()].concat(), ..still.clone() };
    let (at_rest, in_motion) = (model.dense_blocks(&still), model.dense_blocks(&moving));
    let with_damping = damped.dense_blocks(&moving);
    let force = model.residual(&undeflected);
    let mut out = Names::new();
    for i in 0..FREE {
        out.insert(format!("f_{}", i + 1), -force[i]);
        for j in 0..FREE {
            let share = if j < ELASTIC { 1.0 } else { 0.5 };
            // K multiplies q_f alone: what the angles do to the forces is the linearization's.
            let stiffness = if j < ELASTIC { at_rest.k[(i, j)] } else { 0.0 };
            let four = [
                ("M", at_rest.m[(i, j)]),
                ("K", stiffness),
                ("C", share * in_motion.c[(i, j)]),
                ("D", share * with_damping.c[(i, j)]),
            ];
            out.extend(four.map(|(name, x)| (format!("{name}_{}_{}", i + 1, j + 1), x)));
        }
    }
    Ok(out)
}

/// Largest |a - b| over all pairs, over the largest |b|.
fn difference(pairs: &[(f64, f64)]) -> f64 {
    let largest = pairs.iter().map(|(_, b)| b.abs()).fold(0.0, f64::max);
    pairs.iter().map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest
}

/// Each symbol by its formula next to the entry that shows it.
pub(super) fn symbols(table: &Table) -> Answers {
    let mut answers = Answers::default();
    let poses = poses(table);
    for row in &table.rows {
        let (Some(name), Some(place)) = (row.label.strip_prefix("symbol="), row.cell("in the model")) else {
            continue;
        };
        let pairs = poses.as_ref().map_err(Clone::clone).and_then(|poses| {
            let pair = |pose: &Pose| {
                let mut names = pose.entries.clone();
                // c13 is shown times a speed.
                names.extend(
                    pose.symbols.iter().filter(|(n, _)| n.starts_with("qd")).map(|(n, x)| (n.clone(), *x)),
                );
                Ok((pose.symbols[name], value(&names, &place.text)?))
            };
            poses.iter().map(pair).collect::<Result<Vec<_>, String>>()
        });
        answers.put(&row.label, "difference", pairs.map(|list| Computed::Real(difference(&list))));
    }
    answers
}

/// Each expression of the matrices next to all entries where it stands.
pub(super) fn blocks(table: &Table) -> Answers {
    let mut answers = Answers::default();
    let poses =
        Table::load("palomba2019/appendix-symbols").map_err(|e| e.to_string()).and_then(|t| poses(&t));
    for row in &table.rows {
        let key = row.label.strip_prefix("block=").and_then(|rest| rest.split_once(",places="));
        let (Some((block, places)), Some(printed)) = (key, row.cell("printed")) else { continue };
        let answer: Answer = poses.as_ref().map_err(Clone::clone).and_then(|poses| {
            let found = match places {
                "elsewhere" | "outside of K11" => elsewhere(table, block, poses),
                _ if places.ends_with("left") || places.ends_with("right") => composed(table, places, poses),
                _ => written_out(block, places, &printed.text, poses),
            };
            Ok(Computed::Real(difference(&found?)))
        });
        answers.put(&row.label, "difference", answer);
    }
    answers
}

/// Pairs of printed and model for an expression with its places.
fn written_out(block: &str, places: &str, printed: &str, poses: &[Pose]) -> Result<Vec<(f64, f64)>, String> {
    let mut pairs = Vec::new();
    for pose in poses {
        let value = value(&pose.symbols, printed)?;
        for place in places.split(' ') {
            let name = entry_name(block, place)?;
            let entry = pose.entries.get(&name).ok_or_else(|| format!("no entry {name}"))?;
            pairs.push((value, *entry));
        }
    }
    Ok(pairs)
}

/// `M_22_3` for the place `1,3` of the block `M21`; `f_12` for `12` of `f`.
fn entry_name(block: &str, place: &str) -> Result<String, String> {
    let number = |text: &str| text.parse::<usize>().map_err(|_| format!("`{place}` is not a place"));
    let (letter, of) = block.split_at(1);
    let shift = |which: usize| if of.as_bytes().get(which) == Some(&b'2') { ELASTIC } else { 0 };
    match place.split_once(',') {
        Some((i, j)) => Ok(format!("{letter}_{}_{}", number(i)? + shift(0), number(j)? + shift(1))),
        None => Ok(format!("{letter}_{}", number(place)?)),
    }
}

/// The names of all entries of a block; of a symmetric one, whose upper part is printed, of that.
fn names_of(block: &str) -> Result<Vec<String>, String> {
    let size = |c: u8| if c == b'2' { FREE - ELASTIC } else { ELASTIC };
    let (letter, of) = block.split_at(1);
    match (letter, of.as_bytes()) {
        ("f", _) => (1..=FREE).map(|i| entry_name(block, &i.to_string())).collect(),
        (_, [a, b]) => (1..=size(*a))
            .flat_map(|i| (1..=size(*b)).map(move |j| (i, j)))
            .filter(|(i, j)| !["K11", "M11"].contains(&block) || i <= j)
            .map(|(i, j)| entry_name(block, &format!("{i},{j}")))
            .collect(),
        // K outside of K11.
        _ => {
            let beside = (1..=FREE).flat_map(|i| (1..=FREE).map(move |j| (i, j)));
            Ok(beside
                .filter(|(i, j)| *i > ELASTIC || *j > ELASTIC)
                .map(|(i, j)| format!("{letter}_{i}_{j}"))
                .collect())
        }
    }
}

/// Zero outside every entry of a block that no row of the table names; the last pair is the block's largest entry.
fn elsewhere(table: &Table, block: &str, poses: &[Pose]) -> Result<Vec<(f64, f64)>, String> {
    let mut named = ROTATIONS.map(|n| format!("K_{n}_{n}")).to_vec();
    for row in &table.rows {
        let Some((of, places)) = row.label.strip_prefix("block=").and_then(|r| r.split_once(",places="))
        else {
            continue;
        };
        if of == block && places != "elsewhere" && places != "outside of K11" {
            named.extend(places.split(' ').map(|p| entry_name(block, p)).collect::<Result<Vec<_>, _>>()?);
        }
    }
    let whole = |name: &String| name.starts_with(&block[..1]);
    let mut pairs = Vec::new();
    for pose in poses {
        let others = names_of(block)?.into_iter().filter(|name| !named.contains(name));
        pairs.extend(others.map(|name| (pose.entries[&name], 0.0)));
        let largest =
            pose.entries.iter().filter(|(name, _)| whole(name)).map(|(_, x)| x.abs()).fold(0.0, f64::max);
        pairs.push((largest, largest));
    }
    Ok(pairs)
}

/// Numbers of the rotations, whose diagonal in K11 is a misprint and stands in another table.
const ROTATIONS: [usize; 7] = [3, 6, 9, 12, 15, 18, 21];

/// The blocks of C with damping next to those without, alpha M and beta K.
fn composed(table: &Table, places: &str, poses: &[Pose]) -> Result<Vec<(f64, f64)>, String> {
    let printed = table.row(&format!("block=C,places={places}")).and_then(|row| row.cell("printed"));
    let printed = printed.ok_or("no such block")?;
    let block = match places {
        "upper left" => "11",
        "upper right" => "12",
        "lower left" => "21",
        _ => "22",
    };
    let mut pairs = Vec::new();
    for pose in poses {
        for name in names_of(&format!("C{block}"))? {
            let place = &name[1..];
            let mut known: Names = ["alpha", "beta"].map(|n| (n.to_owned(), pose.symbols[n])).into();
            known.extend(
                ["C", "M", "K"].map(|m| (format!("{m}{block}"), pose.entries[&format!("{m}{place}")])),
            );
            pairs.push((value(&known, &printed.text)?, pose.entries[&format!("D{place}")]));
        }
    }
    Ok(pairs)
}
