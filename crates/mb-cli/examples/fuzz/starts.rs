//! JSON starts: what `mb equilibrium --json` prints, with names and values changed.

use super::expressions::disturb;
use super::models::HOSTILE;
use super::random::Random;
use serde_json::{Map, Value, json};

/// Last names of the list that no table knows; they are seldom taken.
const STRANGE: usize = 2;

/// A document for `--at`, of a model with these configuration numbers.
pub(crate) fn start(random: &mut Random, names: &[String]) -> String {
    let table = |random: &mut Random| {
        let mut out = Map::new();
        for name in names.iter().take(names.len() - usize::from(!random.once_in(5)) * STRANGE) {
            if random.once_in(3) {
                out.insert(name.clone(), value(random));
            }
        }
        if random.once_in(12) {
            out.insert(HOSTILE[random.below(HOSTILE.len())].to_owned(), value(random));
        }
        Value::Object(out)
    };
    let configuration = table(random);
    let inner = match random.below(4) {
        0 => configuration,
        1 => json!({ "configuration": configuration }),
        _ => {
            let (velocities, multipliers) = (table(random), table(random));
            json!({
                "configuration": configuration, "velocities": velocities, "multipliers": multipliers,
                "accelerations": table(random), "time": value(random),
            })
        }
    };
    let document = match random.below(4) {
        0 => json!({ "equilibria": [inner] }),
        1 => json!({ "operating_point": inner, "schema_version": value(random) }),
        _ => inner,
    };
    let mut text = document.to_string();
    if random.once_in(3) {
        disturb(random, &mut text);
    }
    text
}

fn value(random: &mut Random) -> Value {
    match random.below(60) {
        0 => Value::Null,
        1 => json!("1.0"),
        2 => json!([1, 2]),
        3 => json!({ "a": 1 }),
        4 => json!(u64::MAX),
        _ => json!(random.number()),
    }
}
