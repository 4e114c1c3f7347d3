//! Every table under `fixtures/` is well formed, and the transcriptions agree with each other.

use mb_gallery::models::FourBar;
use mb_gallery::{Column, Computed, Judge, Kind, Table, Verdict, fixtures_dir, verdict};

#[test]
fn every_table_is_well_formed_and_says_how_it_was_checked() {
    let mut tables = Vec::new();
    for entry in std::fs::read_dir(fixtures_dir().join("gonzalez2017")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        match name.strip_suffix(".toml") {
            Some("paper" | "verdicts") | None => {}
            Some(stem) => tables.push(Table::load(&format!("gonzalez2017/{stem}")).unwrap()),
        }
    }
    assert!(tables.len() >= 10, "{}", tables.len());
    for table in &tables {
        assert!(!table.source.verified.is_empty() && !table.source.locator.is_empty(), "{}", table.id);
        assert!(table.columns.iter().any(Column::is_computed), "{}", table.id);
        for column in
            table.columns.iter().filter(|c| table.kind != Kind::Published && c.judge == Judge::Digits)
        {
            assert!(column.tolerance.is_some(), "{}: `{}` states no tolerance", table.id, column.name);
        }
    }
}

/// The separately computed values must round to the printed ones, except where a misprint is recorded.
#[test]
fn the_separately_computed_values_round_to_the_printed_ones() {
    let (exact, printed) =
        (Table::load("gonzalez2017/exact").unwrap(), Table::load("gonzalez2017/table-1").unwrap());
    let damped = Table::load("gonzalez2017/table-2").unwrap();
    for n in [1, 5, 10, 15, 20] {
        let value = |c: u8, column: &str| -> Computed {
            let number = exact.number(&format!("c={c},N={n}"), column).unwrap();
            match number.im() {
                Some(im) => Computed::Complex { re: number.re().value(), im: im.value() },
                None => Computed::Real(number.re().value()),
            }
        };
        let row = format!("N={n}");
        let number = |table: &Table, column: &str| table.number(&row, column).unwrap().clone();
        for column in ["s_1", "s_p"] {
            assert_eq!(verdict(&number(&printed, "s_1"), &value(0, column)), Verdict::Reproduced, "{row}");
            assert_eq!(verdict(&number(&damped, "s_1"), &value(1, column)), Verdict::Reproduced, "{row}");
        }
        let angle = verdict(&number(&printed, "phi_0"), &value(0, "phi_0"));
        assert_eq!(angle, if n == 15 { Verdict::Deviates } else { Verdict::Reproduced }, "{row}");
    }
}

/// The linkage has one degree of freedom, whose equilibrium and eigenvalue follow from its energy.
#[test]
fn the_separately_computed_values_satisfy_the_closed_form() {
    let exact = Table::load("gonzalez2017/exact").unwrap();
    for row in &exact.rows {
        let number = |column: &str| row.cell(column).unwrap().number().unwrap();
        let bar = FourBar {
            loops: row.label.rsplit('=').next().unwrap().parse().unwrap(),
            damping: if row.label.starts_with("c=1") { 1.0 } else { 0.0 },
            ..FourBar::default()
        };
        let phi = bar.equilibrium().unwrap();
        assert!((phi - number("phi_0").re().value()).abs() < 1e-14, "{}", row.label);
        let s = bar.eigenvalues(phi)[0];
        let (re, im) = (number("s_1").re().value(), number("s_1").im().unwrap().value());
        assert!((s.re - re).abs().max((s.im.abs() - im).abs()) < 1e-13, "{}", row.label);
    }
}
