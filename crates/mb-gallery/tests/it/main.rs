//! Tests of the fixture reader.

mod fixtures;
mod prop_printed;
mod table_format;
