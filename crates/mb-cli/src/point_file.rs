//! Files that give a point: a configuration, and for a point of a motion its speeds and more.

use crate::failure::{Failure, RequestError};
use crate::source::{LARGEST_FILE, read_file};
use serde_json::Value;

/// Largest number of a start: its powers must not overflow.
pub const LARGEST_NUMBER: f64 = 1e100;

/// Numbers by name.
type Named = Vec<(String, f64)>;

/// What a file says of a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointFile {
    /// Coordinates.
    pub configuration: Named,
    /// Speeds; none when the file has no such table.
    pub velocities: Option<Named>,
    /// Accelerations that are claimed.
    pub accelerations: Named,
    /// Multipliers that are claimed, by constraint row.
    pub multipliers: Named,
    /// Inputs.
    pub inputs: Named,
    /// Time, s.
    pub time: Option<f64>,
}

/// Where the documents of this program have a point.
const PLACES: [&str; 3] = ["/operating_point", "/equilibrium", "/equilibria/0"];

impl PointFile {
    /// Reads a JSON file, or a TOML file (`.toml`): an object with `configuration` and, for a point of a motion,
    /// `velocities`, `accelerations`, `multipliers`, `inputs` and `time`; a document of this program that has one; or
    /// the coordinates alone. An equilibrium's multipliers are left out: they are solved for.
    ///
    /// # Errors
    /// [`RequestError::BadConfiguration`].
    pub fn read(option: &'static str, path: &str) -> Result<Self, Failure> {
        let bad = |reason: String| RequestError::BadConfiguration { option, path: path.to_owned(), reason };
        let bytes = read_file(std::path::Path::new(path), LARGEST_FILE).map_err(|e| bad(e.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|e| bad(e.utf8_error().to_string()))?;
        let is_toml = std::path::Path::new(path).extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
        let document: Value = if is_toml {
            toml::from_str(&text).map_err(|e| bad(e.message().to_owned()))?
        } else {
            serde_json::from_str(&text).map_err(|e| bad(e.to_string()))?
        };
        let found = PLACES.iter().find_map(|p| document.pointer(p)).unwrap_or(&document);
        Self::of(found).map_err(|reason| bad(reason).into())
    }
    fn of(found: &Value) -> Result<Self, String> {
        let object = found.as_object().ok_or_else(|| "it is not a JSON object".to_owned())?;
        let table = |name: &str| object.get(name).filter(|v| !v.is_null()).map(numbers).transpose();
        let Some(configuration) = table("configuration")? else {
            let velocities = table("velocities")?;
            if velocities.is_none() {
                return Ok(Self { configuration: numbers(found)?, ..Self::default() });
            }
            return Self::rest(object, Vec::new(), velocities, table);
        };
        let velocities = table("velocities")?;
        if velocities.is_none() {
            return Ok(Self { configuration, ..Self::default() });
        }
        Self::rest(object, configuration, velocities, table)
    }
    fn rest(
        object: &serde_json::Map<String, Value>,
        configuration: Named,
        velocities: Option<Named>,
        table: impl Fn(&str) -> Result<Option<Named>, String>,
    ) -> Result<Self, String> {
        let time = match object.get("time") {
            None | Some(Value::Null) => None,
            Some(value) => Some(value.as_f64().ok_or("`time` is not a number")?),
        };
        Ok(Self {
            configuration,
            velocities,
            accelerations: table("accelerations")?.unwrap_or_default(),
            multipliers: table("multipliers")?.unwrap_or_default(),
            inputs: table("inputs")?.unwrap_or_default(),
            time,
        })
    }
}

/// An object of numbers by name.
fn numbers(value: &Value) -> Result<Named, String> {
    let object = value.as_object().ok_or_else(|| "a table of numbers by name is needed".to_owned())?;
    let entry = |(name, value): (&String, &Value)| {
        let value = value.as_f64().ok_or_else(|| format!("`{name}` is not a number"))?;
        if value.abs() > LARGEST_NUMBER {
            return Err(format!("`{name}` is {value:e}; more than {LARGEST_NUMBER:e} overflows on the way"));
        }
        Ok((name.clone(), value))
    };
    object.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        let of = |text: &str| PointFile::of(&serde_json::from_str(text).unwrap());
        assert_eq!(of(r#"{ "a.x": 1 }"#).unwrap().configuration, [("a.x".to_owned(), 1.0)]);
        let rest = of(r#"{ "configuration": { "a.x": 1 }, "multipliers": { "p": 3 }, "time": 2 }"#).unwrap();
        assert_eq!((rest.multipliers.len(), rest.time, rest.velocities), (0, None, None));
        let moving =
            of(r#"{ "velocities": { "a.x": 2 }, "accelerations": { "a.x": -1 }, "time": 2 }"#).unwrap();
        assert_eq!((moving.accelerations.len(), moving.time, moving.configuration.len()), (1, Some(2.0), 0));
        assert!(of("3").unwrap_err().contains("not a JSON object"));
        assert!(of(r#"{ "a.x": "one" }"#).unwrap_err().contains("`a.x` is not a number"));
    }
}
