//! Contacts that would have to pull: wheels whose normal force is negative.

use mb_model::Model;
use mb_model::element::Element;

/// A wheel whose plane would have to pull it.
#[derive(Clone, Debug, PartialEq)]
pub struct LostContact {
    /// The contact in the user's words, such as `rolling 'front-contact'`.
    pub owner: String,
    /// Normal force in N, negative.
    pub normal_force: f64,
}

/// The rolling contacts with negative normal force for multipliers `lambda` (nc numbers).
///
/// The position row of a contact is the distance along the normal, so that the normal force is minus its multiplier. The model
/// holds the wheel on its plane all the same; a real wheel lifts off there.
pub fn lost_contacts(model: &Model, lambda: &[f64]) -> Vec<LostContact> {
    let rolling = model.members().iter().filter(|m| matches!(m.element, Element::Rolling(_)));
    rolling
        .filter(|m| lambda[m.row] > 0.0)
        .map(|m| LostContact { owner: m.owner.clone(), normal_force: -lambda[m.row] })
        .collect()
}
