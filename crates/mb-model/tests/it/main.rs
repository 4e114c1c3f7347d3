//! Integration tests of the model layer.

mod assembly;
mod beam;
mod flexible_link;
mod identity_derivatives;
mod mean_tie;
mod motion_terms;
mod outline;
mod prop_spec;
mod reactions;
mod rolling;
mod solid;
mod solid_mesh;
mod solid_spec;
mod space;
mod space_build;
mod space_errors;
mod spec_build;
mod spec_errors;
mod spec_fixtures;
mod spec_links;
mod workshop;
