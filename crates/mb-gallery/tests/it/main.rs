//! Tests of the fixture reader.

mod prop_printed;
mod table_format;
