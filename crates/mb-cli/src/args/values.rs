//! Values of options that several commands share.

use std::str::FromStr;

/// Bases of the admissible velocities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BasisArg {
    /// QR with pivoting.
    Qr,
    /// Singular vectors.
    Svd,
    /// Gram-Schmidt.
    GramSchmidt,
    /// Eigenvectors to the eigenvalue zero.
    ZeroEigenvalue,
    /// These coordinates, or chosen ones when the list is empty.
    Selection(Vec<String>),
}

impl FromStr for BasisArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "qr" => Ok(Self::Qr),
            "svd" => Ok(Self::Svd),
            "gram-schmidt" => Ok(Self::GramSchmidt),
            "zero-eigenvalue" => Ok(Self::ZeroEigenvalue),
            "selection" => Ok(Self::Selection(Vec::new())),
            _ => match text.strip_prefix("selection=") {
                Some(list) => Ok(Self::Selection(list.split(',').map(|n| n.trim().to_owned()).collect())),
                None => Err("possible values: qr, svd, gram-schmidt, zero-eigenvalue, selection, \
                     selection=NAME,NAME,..."
                    .to_owned()),
            },
        }
    }
}

/// NAME=VALUE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Left of the sign.
    pub name: String,
    /// Right of the sign.
    pub value: String,
}

impl FromStr for Assignment {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
                Ok(Self { name: name.trim().to_owned(), value: value.trim().to_owned() })
            }
            _ => Err("write NAME=VALUE, as in L=0.5".to_owned()),
        }
    }
}

/// A positive whole number.
pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "must be a whole number, at least 1".to_owned())
}

/// Most seconds of a limit: a thousand years.
const LONGEST: f64 = 3.2e10;

/// A time in seconds that a clock can measure.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    positive(text)
        .and_then(|x| if x <= LONGEST { Ok(x) } else { Err(format!("must be at most {LONGEST:e}")) })
}

/// A number of samples: a path has two ends, and each sample is kept with all its modes.
pub(super) fn samples(text: &str) -> Result<usize, String> {
    const MOST: usize = 1_000_000;
    let n = text.parse().ok().filter(|n| *n > 1);
    let n = n.ok_or("must be a whole number, at least 2: both ends of the path are samples")?;
    if n <= MOST { Ok(n) } else { Err(format!("a path has at most {MOST} samples")) }
}

/// A time in s that can be computed with, of either sign.
pub(crate) fn moment(text: &str) -> Result<f64, String> {
    let usable = |x: &f64| (-1e100..=1e100).contains(x);
    text.parse().ok().filter(usable).ok_or_else(|| "must be a number between -1e100 and 1e100".to_owned())
}

/// A positive number of a size that can be computed with.
pub(super) fn of_usual_size(text: &str) -> Result<f64, String> {
    let usable = |x: &f64| (1e-100..=1e100).contains(x);
    text.parse().ok().filter(usable).ok_or_else(|| "must be a number between 1e-100 and 1e100".to_owned())
}

/// A positive number.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|x: &f64| x.is_finite() && *x > 0.0)
        .ok_or_else(|| "must be a positive number".to_owned())
}

impl std::fmt::Display for Assignment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_and_assignments_are_read() {
        assert_eq!("qr".parse(), Ok(BasisArg::Qr));
        let two = vec!["phi.angle".to_owned(), "B.x".to_owned()];
        assert_eq!("selection=phi.angle, B.x".parse(), Ok(BasisArg::Selection(two)));
        assert!("lu".parse::<BasisArg>().is_err());
        let set = Assignment { name: "L".to_owned(), value: "2*a".to_owned() };
        assert_eq!(" L = 2*a".parse(), Ok(set));
        assert!("L=".parse::<Assignment>().is_err() && "L".parse::<Assignment>().is_err());
    }
}
