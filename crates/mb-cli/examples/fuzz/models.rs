//! Model files: numbers, words, keys and tables of known models changed, moved and mixed.

use super::expressions::{disturb, expression};
use super::random::Random;
use toml::{Table, Value};

/// Texts that mean something to whoever shows or opens a result.
pub(crate) const HOSTILE: [&str; 10] = [
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "\u{1b}[2J\u{1b}]0;title\u{7}",
    "../../etc/passwd",
    "/dev/zero",
    "\" onload=\"x",
    "a\nb",
    "\u{202e}txt.exe",
    "ground",
    "{i}",
];

/// A model file made of one or two known ones.
pub(crate) fn model(random: &mut Random, corpus: &[String]) -> String {
    let text = &corpus[random.below(corpus.len())];
    if random.once_in(12) {
        let mut text = text.clone();
        for _ in 0..=random.below(3) {
            disturb(random, &mut text);
        }
        return text;
    }
    let Ok(mut table) = text.parse::<Table>() else { return text.clone() };
    let other = corpus[random.below(corpus.len())].parse::<Table>().unwrap_or_default();
    for _ in 0..=random.below(2) {
        change(random, &mut table, &other);
    }
    table.to_string()
}

/// A way to a value: keys and places in lists.
#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Place(usize),
}

fn change(random: &mut Random, table: &mut Table, other: &Table) {
    let own = ways(table);
    if own.is_empty() {
        return;
    }
    let way = &own[random.below(own.len())];
    match random.below(12) {
        0 => remove(table, way),
        1 => double(table, way),
        2 => {
            // A value of another model under the same key, or anywhere.
            let from = ways(other);
            let last = |way: &[Step]| match way.last() {
                Some(Step::Key(key)) => Some(key.clone()),
                _ => None,
            };
            let like: Vec<_> = from.iter().filter(|w| last(w) == last(way)).collect();
            let chosen = if like.is_empty() {
                from.get(random.below(from.len()))
            } else {
                like.get(random.below(like.len())).copied()
            };
            let value = chosen.and_then(|way| at(other, way)).cloned();
            if let (Some(value), Some(here)) = (value, at_mut(table, way)) {
                *here = value;
            }
        }
        3 => {
            // Two values of one model change places.
            let with = &own[random.below(own.len())];
            if let (Some(a), Some(b)) = (at(table, way).cloned(), at(table, with).cloned()) {
                if let Some(here) = at_mut(table, way) {
                    *here = b;
                }
                if let Some(there) = at_mut(table, with) {
                    *there = a;
                }
            }
        }
        4 => {
            if let (Some(Value::Table(whole)), true) = (at_mut(table, way), true) {
                let keys: Vec<String> = other.keys().cloned().collect();
                if let Some(key) = keys.get(random.below(keys.len())) {
                    whole.insert(key.clone(), other[key].clone());
                }
            } else {
                let keys: Vec<String> = other.keys().cloned().collect();
                if let Some(key) = keys.get(random.below(keys.len())) {
                    table.insert(key.clone(), other[key].clone());
                }
            }
        }
        _ => {
            if let Some(value) = at_mut(table, way) {
                alter(random, value);
            }
        }
    }
}

/// Another value in the place of one.
fn alter(random: &mut Random, value: &mut Value) {
    let next = match value {
        Value::Integer(n) if random.once_in(2) => Value::Integer(match random.below(6) {
            0 => n.saturating_neg(),
            1 => n.saturating_add(1),
            2 => n.saturating_sub(1),
            3 => n.saturating_mul(1000),
            4 => i64::MAX,
            _ => 0,
        }),
        Value::Float(x) if random.once_in(2) => {
            Value::Float(*x * 10.0_f64.powi(i32::try_from(random.below(61)).unwrap_or(0) - 30))
        }
        Value::Integer(_) | Value::Float(_) => match random.below(4) {
            0 => Value::String(expression(random)),
            1 => Value::Float([f64::NAN, f64::INFINITY, f64::NEG_INFINITY][random.below(3)]),
            _ => Value::Float(random.number()),
        },
        Value::String(text) => match random.below(4) {
            0 => Value::String(HOSTILE[random.below(HOSTILE.len())].to_owned()),
            1 => Value::String(expression(random)),
            2 => {
                let mut text = text.clone();
                disturb(random, &mut text);
                Value::String(text)
            }
            _ => Value::Float(random.number()),
        },
        Value::Boolean(b) => Value::Boolean(!*b),
        Value::Array(list) => {
            let mut list = list.clone();
            match random.below(4) {
                0 => {
                    list.pop();
                }
                1 => list.push(Value::Float(random.number())),
                2 => list.reverse(),
                _ => list.clear(),
            }
            Value::Array(list)
        }
        Value::Table(_) | Value::Datetime(_) => Value::Float(random.number()),
    };
    *value = next;
}

/// The ways to all values of a table.
fn ways(table: &Table) -> Vec<Vec<Step>> {
    let mut out = Vec::new();
    for (key, value) in table {
        collect(value, vec![Step::Key(key.clone())], &mut out);
    }
    out
}

fn collect(value: &Value, way: Vec<Step>, out: &mut Vec<Vec<Step>>) {
    let on = |step: Step| {
        let mut way = way.clone();
        way.push(step);
        way
    };
    match value {
        Value::Table(table) => {
            table.iter().for_each(|(key, value)| collect(value, on(Step::Key(key.clone())), out));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, value)| collect(value, on(Step::Place(i)), out));
        }
        _ => {}
    }
    out.push(way);
}

fn at<'t>(table: &'t Table, way: &[Step]) -> Option<&'t Value> {
    let (Step::Key(first), rest) = way.split_first()? else { return None };
    rest.iter().try_fold(table.get(first)?, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Place(i) => value.get(*i),
    })
}

fn at_mut<'t>(table: &'t mut Table, way: &[Step]) -> Option<&'t mut Value> {
    let (Step::Key(first), rest) = way.split_first()? else { return None };
    rest.iter().try_fold(table.get_mut(first)?, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Place(i) => value.get_mut(*i),
    })
}

fn remove(table: &mut Table, way: &[Step]) {
    match way {
        [Step::Key(key)] => drop(table.remove(key)),
        [before @ .., last] => match (at_mut(table, before), last) {
            (Some(Value::Table(inner)), Step::Key(key)) => drop(inner.remove(key)),
            (Some(Value::Array(list)), Step::Place(i)) if *i < list.len() => drop(list.remove(*i)),
            _ => {}
        },
        [] => {}
    }
}

/// Repeats an entry of a list.
fn double(table: &mut Table, way: &[Step]) {
    if let [before @ .., Step::Place(i)] = way
        && let Some(Value::Array(list)) = at_mut(table, before)
        && let Some(value) = list.get(*i).cloned()
    {
        list.push(value);
    }
}
