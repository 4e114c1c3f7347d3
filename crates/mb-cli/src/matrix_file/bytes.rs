//! Numbers out of bytes, of any kind that the formats store, and what is left of a file.

use super::MatrixFileError;

/// Most bytes of a part of a file that is compressed: a small file shall not fill the memory.
pub(super) const LARGEST_INFLATED: usize = 1 << 32;

/// Kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Kind {
    /// Bytes of one number.
    pub(super) fn width(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// Which byte of a number comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

/// Numbers of a kind in bytes; bytes beyond the last whole number are left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers<'b> {
    pub(super) kind: Kind,
    pub(super) order: Order,
    pub(super) bytes: &'b [u8],
}

/// A list of every number of one kind, as another type.
macro_rules! each {
    ($self:expr, $kind:ty, $as:expr) => {{
        const WIDTH: usize = size_of::<$kind>();
        let parts = $self.bytes.chunks_exact(WIDTH).map(|part| {
            let mut own = [0; WIDTH];
            own.copy_from_slice(part);
            own
        });
        match $self.order {
            Order::Little => parts.map(|own| $as(<$kind>::from_le_bytes(own))).collect(),
            Order::Big => parts.map(|own| $as(<$kind>::from_be_bytes(own))).collect(),
        }
    }};
}

impl Numbers<'_> {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() / self.kind.width()
    }

    /// As doubles; whole numbers beyond 2^53 are rounded.
    pub(super) fn doubles(&self) -> Vec<f64> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "what a matrix of whole numbers means in double precision"
        )]
        match self.kind {
            Kind::I8 => each!(self, i8, f64::from),
            Kind::U8 => each!(self, u8, f64::from),
            Kind::I16 => each!(self, i16, f64::from),
            Kind::U16 => each!(self, u16, f64::from),
            Kind::I32 => each!(self, i32, f64::from),
            Kind::U32 => each!(self, u32, f64::from),
            Kind::I64 => each!(self, i64, |x| x as f64),
            Kind::U64 => each!(self, u64, |x| x as f64),
            Kind::F32 => each!(self, f32, f64::from),
            Kind::F64 => each!(self, f64, |x| x),
        }
    }

    /// As indices; `what` names them where one is negative or not a whole number.
    pub(super) fn indices(&self, what: &str) -> Result<Vec<usize>, MatrixFileError> {
        let index = |x: Option<usize>| x.ok_or(());
        let list: Result<Vec<usize>, ()> = match self.kind {
            Kind::I32 => each!(self, i32, |x: i32| index(usize::try_from(x).ok())),
            Kind::U32 => each!(self, u32, |x: u32| index(usize::try_from(x).ok())),
            Kind::I64 => each!(self, i64, |x: i64| index(usize::try_from(x).ok())),
            Kind::U64 => each!(self, u64, |x: u64| index(usize::try_from(x).ok())),
            _ => {
                return Err(MatrixFileError::malformed(format!(
                    "{what} are not whole numbers of 32 or 64 bits"
                )));
            }
        };
        list.map_err(|()| MatrixFileError::malformed(format!("{what} have a negative number")))
    }
}

/// What is left of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest<'b>(pub(super) &'b [u8]);

impl<'b> Rest<'b> {
    /// The next bytes.
    pub(super) fn take(&mut self, count: usize, what: &str) -> Result<&'b [u8], MatrixFileError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(|| MatrixFileError::torn(what))?;
        self.0 = rest;
        Ok(taken)
    }

    /// The next bytes as an array.
    pub(super) fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], MatrixFileError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N, what)?);
        Ok(out)
    }
}
