//! The TOML format of tables: what it accepts and how it refuses.

use mb_gallery::{GalleryError, Judge, Kind, Note, Status, Table};

const GOOD: &str = r#"
id = "some/table"
title = "A table"
kind = "published"
source = { cite = "some", locator = "Table 1", verified = "read twice" }

[[column]]
name = "N"
judge = "key"

[[column]]
name = "s1"
unit = "rad/s"
by = ["MCS", "RCS"]

[[column]]
name = "note"
judge = "text"

[[row]]
N = "1"
s1 = "-0.5+-2.25i"
note = "plain"

[[row]]
N = "2"
s1 = { printed = "1.5", misprint = { corrected = "1.6", reason = "Not an equilibrium." } }
note = "-"
"#;

fn read(text: &str) -> Result<Table, GalleryError> {
    Table::from_toml(text, "some/table")
}

fn complaint(text: &str) -> String {
    read(text).expect_err("the table must be refused").to_string()
}

#[test]
fn a_good_table_is_read_in_the_order_of_the_source() {
    let table = read(GOOD).unwrap();
    assert_eq!(table.kind, Kind::Published);
    assert_eq!(table.status, Status::Implemented);
    let names: Vec<_> = table.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["N", "s1", "note"]);
    assert_eq!(table.column("s1").unwrap().judge, Judge::Digits);
    let labels: Vec<_> = table.rows.iter().map(|r| r.label.as_str()).collect();
    assert_eq!(labels, ["N=1", "N=2"]);
    assert_eq!(table.rows[1].title, "N = 2");
    assert!(table.number("N=1", "s1").unwrap().is_pair());
    assert!(table.row("N=2").unwrap().cell("note").is_none());
    assert!(matches!(table.row("N=2").unwrap().cell("s1").unwrap().note, Some(Note::Misprint { .. })));
}

#[test]
fn an_unknown_key_is_refused_with_its_line() {
    let told = complaint(&GOOD.replace("note = \"plain\"", "note = \"plain\"\nnoise = \"1\""));
    assert!(told.contains("row 1") && told.contains("`noise`"), "{told}");
    let told = complaint(&GOOD.replace("kind =", "sort ="));
    assert!(told.contains("sort") && told.contains("line"), "{told}");
    let told = complaint(&GOOD.replace("misprint =", "mispelt ="));
    assert!(told.contains("mispelt"), "{told}");
}

#[test]
fn a_missing_cell_and_a_doubled_row_are_named() {
    let told = complaint(&GOOD.replace("note = \"plain\"", ""));
    assert!(told.contains("row 1, column `note`"), "{told}");
    let told = complaint(&GOOD.replace("N = \"2\"", "N = \"1\""));
    assert!(told.contains("row 2") && told.contains("twice"), "{told}");
}

#[test]
fn a_number_that_is_none_is_named_with_its_place() {
    let told = complaint(&GOOD.replace("-0.5+-2.25i", "minus one"));
    assert!(told.contains("row 1, column `s1`") && told.contains("minus one"), "{told}");
}

#[test]
fn a_bare_number_is_refused_because_its_digits_would_be_lost() {
    let told = complaint(&GOOD.replace("\"-0.5+-2.25i\"", "2.50"));
    assert!(told.contains("quoted value"), "{told}");
}

#[test]
fn a_printed_value_may_not_state_a_tolerance() {
    let text = GOOD.replace("unit = \"rad/s\"", "tolerance = { absolute = 1e-3, reason = \"wider\" }");
    assert!(complaint(&text).contains("its digits"), "{}", complaint(&text));
    let table = read(&text.replace("published", "analytic")).unwrap();
    assert!(table.column("s1").unwrap().tolerance.is_some());
    assert!(read(&text.replace("published", "analytic").replace("1e-3", "-1.0")).is_err());
}

#[test]
fn a_published_table_cites_its_paper_and_stands_where_it_says() {
    assert!(complaint(&GOOD.replace("cite = \"some\"", "cite = \"\"")).contains("cite"));
    let misplaced = Table::from_toml(GOOD, "other/table").unwrap_err().to_string();
    assert!(misplaced.contains("`some/table`") && misplaced.contains("`other/table`"), "{misplaced}");
}

#[test]
fn a_missing_file_is_named_by_its_place_in_the_project() {
    let told = Table::load("nowhere/table-9").unwrap_err().to_string();
    assert!(told.starts_with("fixtures/nowhere/table-9.toml cannot be read"), "{told}");
}
