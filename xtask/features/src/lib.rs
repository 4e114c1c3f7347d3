//! No code: the manifest of this crate is what the tests of the workspace share.
