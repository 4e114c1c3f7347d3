//! What a parameter changes: speeds alone, or the model itself.

use super::ModelSpec;
use serde_json::Value;
use std::collections::BTreeSet;

/// Fields that no force depends on: velocities at the start of a motion, and words.
const ASIDE: [&str; 4] = ["velocity", "angular_velocity", "name", "description"];

/// Whether the parameter stands in velocities and in speeds of steady rotations alone, also by way of other parameters.
pub(super) fn only_sets_speeds(spec: &ModelSpec, name: &str) -> bool {
    // The speed of a steady rotation is a velocity too; other tables have speeds that forces depend on.
    let mut rest = spec.clone();
    for rotation in &mut rest.steady_rotations {
        rotation.speed = 0.0.into();
    }
    rest.parameters.clear();
    let (Ok(rest), Ok(parameters)) = (serde_json::to_value(&rest), serde_json::to_value(&spec.parameters))
    else {
        return false;
    };
    let mut changed: BTreeSet<String> = BTreeSet::from([name.to_owned()]);
    let made =
        |of: &Value, changed: &BTreeSet<String>| of.as_str().is_some_and(|text| names_one(text, changed));
    loop {
        let before = changed.len();
        for (parameter, value) in parameters.as_object().into_iter().flatten() {
            if made(value, &changed) {
                changed.insert(parameter.clone());
            }
        }
        if changed.len() == before {
            return !stands_in(&rest, &changed);
        }
    }
}

/// Whether a text, read as an expression, has one of the names in it.
fn names_one(text: &str, names: &BTreeSet<String>) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| names.contains(word))
}

fn stands_in(value: &Value, names: &BTreeSet<String>) -> bool {
    match value {
        Value::String(text) => names_one(text, names),
        Value::Array(list) => list.iter().any(|value| stands_in(value, names)),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| !ASIDE.contains(&key.as_str()) && stands_in(value, names))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::spec::ModelSpec;

    fn of(mass: &str, speed: &str) -> bool {
        let text = format!(
            r#"
            units = "SI"
            name = "wheel"
            description = "rolls with the speed v"
            parameters = {{ v = 3, r = 0.2, rate = "{speed}" }}
            body = [{{ name = "wheel", mass = "{mass}", inertia = 1, at = [0, 0], velocity = ["v", 0], angular_velocity = "rate" }}]
            steady-rotation = [{{ name = "spin", bodies = ["wheel"], speed = "2*rate" }}]
            "#
        );
        ModelSpec::from_toml(&text).unwrap().only_sets_speeds("v")
    }

    #[test]
    fn a_parameter_of_velocities_alone_leaves_the_model_as_it_is() {
        assert!(of("2*r", "v/r"));
    }

    #[test]
    fn a_parameter_of_a_force_or_a_mass_does_not() {
        assert!(!of("2*v", "v/r"));
        // By way of another parameter.
        assert!(!of("1+rate", "v/r"));
        assert!(of("1+rate", "r"));
    }
}
