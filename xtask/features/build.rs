//! Empty: cargo looks at `[build-dependencies]` only where a build script stands.

fn main() {}
