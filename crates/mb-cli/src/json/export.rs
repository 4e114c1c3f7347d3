//! The document of `mb export`.

use super::parts::{ModelView, SiteView};
use super::{Head, text};
use crate::commands::export::Written;
use crate::flow::Site;
use crate::source::Loaded;
use mb_constraints::ConstraintRank;
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    model: ModelView,
    #[serde(flatten)]
    site: SiteView,
    files: &'a [Written],
}

/// The document.
pub fn document(loaded: &Loaded, rank: &ConstraintRank, site: &Site, files: &[Written]) -> String {
    text(&Document {
        head: Head::of("export"),
        model: ModelView::new(loaded, rank),
        site: SiteView::new(loaded, site),
        files,
    })
}
