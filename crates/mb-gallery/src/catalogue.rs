//! The models of `mb generate` and `mb.generate`, as text to start from.

use crate::{GalleryError, files};
use toml::de::DeTable;

/// A model of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GalleryModel {
    /// Its name.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
    /// The model file.
    pub text: &'static str,
    /// Parameters of it that have other values.
    pub set: &'static [(&'static str, &'static str)],
}

/// Every model.
pub const MODELS: &[GalleryModel] = &[
    GalleryModel {
        name: "rod-pendulum",
        about: "a rod hanging from a pin: s = +-i sqrt(3 g / (2 L))",
        text: files::ROD_PENDULUM,
        set: &[],
    },
    GalleryModel {
        name: "rod-pendulum-upright",
        about: "the same rod upright: two real eigenvalues",
        text: files::ROD_PENDULUM_UPRIGHT,
        set: &[],
    },
    GalleryModel {
        name: "double-pendulum-rigid",
        about: "two rigid bodies in reference-point coordinates, with an input and an output",
        text: files::DOUBLE_PENDULUM_RIGID,
        set: &[],
    },
    GalleryModel {
        name: "flexible-double-pendulum",
        about: "two flexible links hanging from each other, N elements each (gonzalez2017)",
        text: files::FLEXIBLE_DOUBLE_PENDULUM,
        set: &[],
    },
    GalleryModel {
        name: "n-four-bar",
        about: "N four-bar loops with springs, one degree of freedom (gonzalez2017)",
        text: files::N_FOUR_BAR,
        set: &[],
    },
    GalleryModel {
        name: "n-four-bar-singular",
        about: "one loop in its singular configuration: the Jacobian loses rank",
        text: files::N_FOUR_BAR_SINGULAR,
        set: &[],
    },
    GalleryModel {
        name: "slider-crank",
        about: "crank, connecting rod and slider, held by a spring",
        text: files::SLIDER_CRANK,
        set: &[],
    },
    GalleryModel {
        name: "four-bar-driven",
        about: "a crank driven as a function of time",
        text: files::FOUR_BAR_DRIVEN,
        set: &[],
    },
    GalleryModel {
        name: "andrews-squeezer",
        about: "seven bodies in the plane, driven by a torque (initial value test set)",
        text: files::ANDREWS_SQUEEZER,
        set: &[],
    },
    GalleryModel {
        name: "simple-pendulum",
        about: "a mass on a massless rod, released from the horizontal (IFToMM A01)",
        text: files::SIMPLE_PENDULUM,
        set: &[],
    },
    GalleryModel {
        name: "n-four-bar-turning",
        about: "N four-bar loops turning through singular configurations (IFToMM A02)",
        text: files::N_FOUR_BAR_TURNING,
        set: &[],
    },
    GalleryModel {
        name: "bricard",
        about: "a closed loop of six hinges that moves against the count of constraints (IFToMM A04)",
        text: files::BRICARD,
        set: &[],
    },
    GalleryModel {
        name: "flyball-governor",
        about: "a shaft with two masses and a slider on stiff springs (IFToMM A05)",
        text: files::FLYBALL_GOVERNOR,
        set: &[],
    },
    GalleryModel {
        name: "flexible-slider-crank",
        about: "crank of constant speed, elastic connecting rod and slider (Simeon 1996, Test Set for Initial Value Problem Solvers)",
        text: files::FLEXIBLE_SLIDER_CRANK,
        set: &[],
    },
    GalleryModel {
        name: "spatial-slider-crank",
        about: "crank, rod and slider in space on a revolute, a spherical and a universal joint (Haug 1989, IFToMM)",
        text: files::SPATIAL_SLIDER_CRANK,
        set: &[],
    },
    GalleryModel {
        name: "spatial-four-bar",
        about: "crank, coupler and rocker in space on two revolute and two spherical joints (flores2018)",
        text: files::SPATIAL_FOUR_BAR,
        set: &[],
    },
    GalleryModel {
        name: "spatial-pendulum",
        about: "a rigid body on a spherical joint: two frequencies and a free turn",
        text: files::SPATIAL_PENDULUM,
        set: &[],
    },
    GalleryModel {
        name: "spatial-chain",
        about: "a hanging chain of N bodies in space on revolute joints",
        text: files::SPATIAL_CHAIN,
        set: &[],
    },
    GalleryModel {
        name: "beam-cantilever",
        about: "a cantilever of geometrically exact beam elements under tension F (yang2012)",
        text: files::BEAM_CANTILEVER,
        set: &[],
    },
    GalleryModel {
        name: "beam-four-bar",
        about: "a hanging four-bar linkage of three beams, 20 multipliers (yang2012)",
        text: files::BEAM_FOUR_BAR,
        set: &[],
    },
    GalleryModel {
        name: "erls-arm",
        about: "a two-link flexible arm on motors, by equivalent rigid links (palomba2019, a bar of 30 mm)",
        text: files::ERLS_ARM,
        set: &[],
    },
    GalleryModel {
        name: "erls-arm-table-2",
        about: "the same with the section and density that the paper prints",
        text: files::ERLS_ARM,
        set: &[("rho_l", "1.906"), ("A", "7.06e-4"), ("J", "3.97e-8")],
    },
    GalleryModel {
        name: "floating-arm",
        about: "the same arm with its links in floating frames: another law of damping by mass",
        text: files::FLOATING_ARM,
        set: &[],
    },
    GalleryModel {
        name: "erls-four-bar",
        about: "a closed loop of three flexible links, by equivalent rigid links",
        text: files::ERLS_FOUR_BAR,
        set: &[],
    },
    GalleryModel {
        name: "beam-frame",
        about: "a frame of tubes of any size, girders on revolute joints",
        text: files::BEAM_FRAME,
        set: &[],
    },
    GalleryModel {
        name: "heavy-top",
        about: "a top level at its start and in fast spin (Bruels, Cardona, Arnold 2012)",
        text: files::HEAVY_TOP,
        set: &[],
    },
    GalleryModel { name: "top", about: "a symmetric top on its tip", text: files::TOP, set: &[] },
    GalleryModel {
        name: "bicycle",
        about: "the benchmark bicycle, rolling straight ahead at speed v (Meijaard et al. 2007)",
        text: files::BICYCLE,
        set: &[],
    },
    GalleryModel {
        name: "wheelset",
        about: "a wheelset on the heads of two rails, rolling at speed v: it hunts",
        text: files::WHEELSET,
        set: &[],
    },
    GalleryModel {
        name: "rolling-disc",
        about: "a thin disc that rolls upright: stable above a spin",
        text: files::ROLLING_DISC,
        set: &[],
    },
    GalleryModel { name: "skate", about: "a sled on one skate", text: files::SKATE, set: &[] },
    GalleryModel {
        name: "cart-pendulum",
        about: "a cart with a pendulum: a force as input, two outputs",
        text: files::CART_PENDULUM,
        set: &[],
    },
    GalleryModel {
        name: "spring-arm",
        about: "a motor turns an arm with masses on springs: frequencies that change with its angle",
        text: files::SPRING_ARM,
        set: &[],
    },
    GalleryModel {
        name: "parallelogram",
        about: "a platform on three parallel rods, one of them redundant",
        text: files::PARALLELOGRAM,
        set: &[],
    },
    GalleryModel {
        name: "solid-cantilever",
        about: "a cantilever of n x n x N solid elements under tension",
        text: files::SOLID_CANTILEVER,
        set: &[],
    },
    GalleryModel {
        name: "mechanism-zero-mode",
        about: "a four-bar linkage without stiffness: a true zero mode",
        text: files::MECHANISM_ZERO_MODE,
        set: &[],
    },
    GalleryModel {
        name: "free-body",
        about: "a body that nothing holds: rigid modes",
        text: files::FREE_BODY,
        set: &[],
    },
];

/// A model by name.
pub fn find(name: &str) -> Option<&'static GalleryModel> {
    MODELS.iter().find(|m| m.name == name)
}

/// The text of a model with parameters changed in its table `[parameters]`; whether the changed model is right is for the caller
/// to check.
///
/// # Errors
/// [`GalleryError::NoSuchModel`], [`GalleryError::NoSuchParameter`].
pub fn generate(name: &str, set: &[(String, String)]) -> Result<String, GalleryError> {
    let Some(model) = find(name) else {
        let known = MODELS.iter().map(|m| m.name.to_owned()).collect();
        return Err(GalleryError::NoSuchModel { name: name.to_owned(), known });
    };
    // The schema line holds where the file lies in this project, not where the user puts it.
    let lines = model.text.lines().filter(|line| !line.starts_with("#:schema"));
    let mut text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let own = model.set.iter().map(|(name, value)| (*name, *value));
    for (name, value) in own.chain(set.iter().map(|(name, value)| (name.as_str(), value.as_str()))) {
        let Some(span) = parameter_span(&text, name) else {
            return Err(GalleryError::NoSuchParameter {
                name: name.to_owned(),
                known: parameter_names(&text),
            });
        };
        let quoted = if value.parse::<f64>().is_ok() { value.to_owned() } else { format!("{value:?}") };
        text.replace_range(span, &quoted);
    }
    Ok(text)
}

fn parameter_span(text: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let document = DeTable::parse(text).ok()?;
    let parameters = document.get_ref().get("parameters")?.get_ref().as_table()?;
    Some(parameters.get(name)?.span())
}

fn parameter_names(text: &str) -> Vec<String> {
    let names = || {
        let document = DeTable::parse(text).ok()?;
        let parameters = document.get_ref().get("parameters")?.get_ref().as_table()?;
        Some(parameters.keys().map(|k| k.get_ref().to_string()).collect())
    };
    names().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_is_right_and_has_its_name() {
        for model in MODELS {
            let built = mb_model::Model::from_toml(model.text);
            assert!(built.is_ok(), "{}: {}", model.name, built.unwrap_err());
        }
    }

    #[test]
    fn parameters_are_changed_in_the_text() {
        let set = |name: &str| [(name.to_owned(), "3".to_owned())];
        let text = generate("n-four-bar", &set("N")).unwrap();
        assert!(text.contains("N = 3"), "{text}");
        let wrong = generate("n-four-bar", &set("M"));
        assert!(matches!(wrong, Err(GalleryError::NoSuchParameter { .. })), "{wrong:?}");
        assert!(matches!(generate("n-five-bar", &[]), Err(GalleryError::NoSuchModel { .. })));
    }
}
