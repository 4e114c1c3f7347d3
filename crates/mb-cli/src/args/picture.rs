//! Arguments of pictures of models.

use crate::plot::Look;
use clap::Args;

/// How a model is drawn.
#[derive(Clone, Debug, Default, Args)]
pub struct PictureArgs {
    /// From where a model in space is drawn: front (from -y), side (from x), top, iso, or azimuth and elevation in degrees
    #[arg(
        long,
        value_name = "front | side | top | iso | AZ,EL",
        requires = "plot",
        allow_hyphen_values = true
    )]
    pub view: Option<Look>,
    /// Write the names of bodies, rods, beams, solids and point masses near them
    #[arg(long, requires = "plot")]
    pub names: bool,
}
