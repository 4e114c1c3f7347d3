//! Contacts that would have to pull: wheels whose normal force is negative.

use mb_algebra::RankTolerance;
use mb_constraints::constraint_rank;
use mb_model::element::Element;
use mb_model::{Model, Point};

/// A wheel whose plane would have to pull it.
#[derive(Clone, Debug, PartialEq)]
pub struct LostContact {
    /// The contact in the user's words, such as `rolling 'front-contact'`.
    pub owner: String,
    /// Normal force in N, negative.
    pub normal_force: f64,
    /// Whether there is one normal force: the row of the contact is in no dependence of rows, in which forces can be shared otherwise.
    pub determined: bool,
}

/// Share of the forces at work up to which a normal force is rounding.
const ROUNDING: f64 = 1e-9;

/// The rolling contacts with negative normal force at a point with its multipliers.
///
/// The position row of a contact is the distance along the normal, so that the normal force is minus its multiplier. The model
/// holds the wheel on its plane all the same; a real wheel lifts off there.
pub fn lost_contacts(model: &Model, point: &Point) -> Vec<LostContact> {
    let lambda = &point.lambda;
    let rolling = model.members().iter().filter(|m| matches!(m.element, Element::Rolling(_)));
    let mut pulling = rolling.filter(|m| lambda[m.row] > 0.0).peekable();
    if pulling.peek().is_none() {
        return Vec::new();
    }
    let least = ROUNDING * model.force_scale(point);
    let shared =
        constraint_rank(model, &point.q, point.t, RankTolerance::default()).map(|rank| rank.redundant);
    let shared = shared.unwrap_or_default();
    let determined = |name: &String| shared.iter().all(|r| r.name != *name && !r.depends_on.contains(name));
    let one = |m: &mb_model::Member| LostContact {
        owner: m.owner.clone(),
        normal_force: -lambda[m.row],
        determined: determined(&model.row_name(m.row)),
    };
    pulling.filter(|m| lambda[m.row] > least).map(one).collect()
}
