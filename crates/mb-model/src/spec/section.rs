//! Sections of beams in space and of flexible links in the plane.

use super::value::Value;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Section in its own axes, y (axis 2) and z (axis 3): a circle or tube (`radius`, `inner_radius`), a rectangle (`width` along
/// y, `height` along z), an I (`width`, `height`, `web`, `flange`; the web along z), or its numbers (`area`,
/// `second_moments`, `torsion`). Of a flexible link, which bends in one plane, y is across that plane: a circle, a rectangle, or
/// `area` and `second_moment`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SectionSpec {
    /// Radius of a circle, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<Value>,
    /// Inner radius of a tube, m. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inner_radius: Option<Value>,
    /// Width of a rectangle along y, or across the plane of motion of a flexible link, m; of the flanges of an I.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Value>,
    /// Height along z, or in the plane of motion, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<Value>,
    /// Thickness of the web of an I, m (beam).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub web: Option<Value>,
    /// Thickness of the flanges of an I, m (beam).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flange: Option<Value>,
    /// Area, m^2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<Value>,
    /// Second moment of area about the axis across the plane of motion, m^4 (flexible link).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_moment: Option<Value>,
    /// Second moments of area about y and z, m^4: integrals of z^2 and of y^2 (beam).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_moments: Option<[Value; 2]>,
    /// Torsion constant, m^4 (beam). For the other shapes it is worked out unless it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torsion: Option<Value>,
    /// Parts of the area that carry shear along y and z (beam). Default: of the shape; 5/6 for a section by numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shear_factors: Option<[Value; 2]>,
}

impl SectionSpec {
    /// A circle.
    pub fn circle(radius: impl Into<Value>) -> Self {
        Self { radius: Some(radius.into()), ..Self::default() }
    }
    /// A rectangle: width along y, height along z; for a flexible link across the plane of motion and in it.
    pub fn rectangle(width: impl Into<Value>, height: impl Into<Value>) -> Self {
        Self { width: Some(width.into()), height: Some(height.into()), ..Self::default() }
    }
    /// Any section of a flexible link, by its area and second moment.
    pub fn numbers(area: impl Into<Value>, second_moment: impl Into<Value>) -> Self {
        Self { area: Some(area.into()), second_moment: Some(second_moment.into()), ..Self::default() }
    }
    /// Any section of a beam by its numbers: area, second moments about y and z, torsion constant.
    pub fn beam_numbers(
        area: impl Into<Value>,
        second_moments: [impl Into<Value>; 2],
        torsion: impl Into<Value>,
    ) -> Self {
        Self {
            area: Some(area.into()),
            second_moments: Some(second_moments.map(Into::into)),
            torsion: Some(torsion.into()),
            ..Self::default()
        }
    }
}
