//! Table 2: the parameters, read back from the model file with the printed values.
//!
//! Paper: [palomba2019] Table 2.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use std::collections::BTreeMap;

use mb_gallery::Computed;
use mb_gallery::models::ErlsArm;

use crate::answers::Answers;

/// The answers to Table 2.
pub(super) fn answers() -> Answers {
    let mut answers = Answers::default();
    let values = ErlsArm::table_2().file().and_then(|spec| spec.parameter_values());
    let values: Result<BTreeMap<String, f64>, String> = values.map_err(|e| e.to_string());
    let of = |name: &str| -> Result<f64, String> {
        values.clone()?.get(name).copied().ok_or_else(|| format!("the file has no `{name}`"))
    };
    for name in ["L1", "L2", "J", "A", "rho_l", "E", "alpha", "beta"] {
        answers.put(&format!("symbol={name}"), "value", of(name).map(Computed::Real));
    }
    let density = of("rho_l").and_then(|m| Ok(m / of("A")?));
    answers.put("symbol=rho", "rho_l / A", density.map(Computed::Real));
    answers
}
