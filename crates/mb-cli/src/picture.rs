//! Pictures as files: which format a name asks for, and writing it.

use crate::failure::{Failure, RequestError};
use crate::outfile::{self, Group};
use std::io::Write as _;
use std::path::Path;

/// How a picture is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum PictureFormat {
    /// Lines and letters, for browsers
    #[default]
    Svg,
    /// Lines and letters, for documents
    Pdf,
    /// Pixels, two to a unit of the other formats
    Png,
}

impl PictureFormat {
    const ALL: [Self; 3] = [Self::Svg, Self::Pdf, Self::Png];
    /// Their endings in words.
    const ENDINGS: &'static str = ".svg, .pdf or .png";

    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Pdf => "pdf",
            Self::Png => "png",
        }
    }

    /// The format that the name of a file asks for; none where it asks for no picture.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?;
        Self::ALL.into_iter().find(|f| ending.eq_ignore_ascii_case(f.ending()))
    }

    /// Writes a picture, given as SVG.
    ///
    /// # Errors
    /// [`Failure::Unwritable`], [`RequestError::TooManyPixels`].
    pub fn write(self, path: &Path, svg: &str) -> Result<(), Failure> {
        let bytes = self.bytes(path, svg)?;
        outfile::write(path, |out| out.write_all(&bytes))
    }

    /// As [`PictureFormat::write`], a picture of several: its name is that of the file without the ending.
    ///
    /// # Errors
    /// As [`PictureFormat::write`].
    pub fn write_one(self, group: &mut Group, name: &str, svg: &str) -> Result<(), Failure> {
        let name = format!("{name}.{}", self.ending());
        let bytes = self.bytes(&group.path(&name), svg)?;
        group.write(&name, |out| out.write_all(&bytes))
    }

    fn bytes(self, path: &Path, svg: &str) -> Result<Vec<u8>, RequestError> {
        Ok(match self {
            Self::Svg => svg.as_bytes().to_vec(),
            Self::Pdf => mb_chart::pdf(svg),
            Self::Png => mb_chart::png(svg)
                .map_err(|source| RequestError::TooManyPixels { path: path.display().to_string(), source })?,
        })
    }
}

/// Writes a picture, given as SVG, in the format that the name of the file asks for; SVG where it asks for none.
///
/// # Errors
/// As [`PictureFormat::write`].
pub fn write(path: &Path, svg: &str) -> Result<(), Failure> {
    PictureFormat::of(path).unwrap_or(PictureFormat::Svg).write(path, svg)
}

/// Refuses a file whose name asks for no picture.
///
/// # Errors
/// [`RequestError::UnknownFormat`].
pub fn check_file(option: &'static str, path: Option<&Path>) -> Result<(), RequestError> {
    let Some(path) = path.filter(|path| PictureFormat::of(path).is_none()) else { return Ok(()) };
    Err(RequestError::UnknownFormat {
        option,
        path: path.display().to_string(),
        known: PictureFormat::ENDINGS,
    })
}

/// Refuses a folder whose name is that of a picture or document; `remedy` is what to give instead.
///
/// # Errors
/// [`RequestError::PictureFolder`].
pub fn check_folder(path: &Path, remedy: &'static str) -> Result<(), RequestError> {
    const OTHERS: [&str; 12] =
        ["jpg", "jpeg", "gif", "bmp", "tif", "tiff", "webp", "eps", "ps", "html", "csv", "json"];
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let other = PictureFormat::of(path).is_some() || ending.is_some_and(|e| OTHERS.contains(&e.as_str()));
    if other && !path.is_dir() {
        let path = path.display().to_string();
        return Err(RequestError::PictureFolder { option: "--plot", path, remedy });
    }
    Ok(())
}
