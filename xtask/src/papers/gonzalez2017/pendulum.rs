//! Tables 3 to 5 and the statements on the flexible double pendulum.
//!
//! Paper: [gonzalez2017] Tables 3, 4, 5.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_gallery::{Computed, Table};

use super::figure5;
use super::measure::hanging;
use super::measure::pendulum::{self, FIRST, Pendulum};
use super::results::{Eigenvalue, FAMILIES, Measured};
use crate::answers::Answers;

/// Elements of each link in Tables 4 and 5.
const ELEMENTS: [u32; 5] = [10, 25, 50, 75, 100];
/// Elements of each link in Table 3.
const TABLE_3: u32 = 50;

/// What is measured on the pendulum, each when a table asks for it first.
#[derive(Default)]
pub(crate) struct Pendulums {
    linear: Vec<Pendulum>,
    complete: Option<Pendulum>,
}

impl Pendulums {
    fn linear(&mut self, elements: u32) -> &Pendulum {
        let found = self.linear.iter().position(|p| p.elements == elements);
        let k = found.unwrap_or_else(|| {
            self.linear.push(pendulum::measure(elements, false));
            self.linear.len() - 1
        });
        &self.linear[k]
    }

    /// The answers to one of the pendulum's tables; `None` for a table that is not one of them.
    pub(crate) fn answers(&mut self, table: &Table) -> Option<Answers> {
        Some(match table.id.as_str() {
            "gonzalez2017/table-3" => self.table3(),
            "gonzalez2017/table-4" => self.table4(),
            "gonzalez2017/table-5" => self.table5(),
            "gonzalez2017/pendulum-exact" => self.exact(),
            "gonzalez2017/geometric-stiffness" => self.complete(),
            "gonzalez2017/claims-pendulum" => self.claims(),
            "gonzalez2017/figure-5" => figure5::answers(),
            "gonzalez2017/figure-5-claims" => figure5::claims(),
            _ => return None,
        })
    }

    fn table3(&mut self) -> Answers {
        let mut answers = Answers::default();
        let [mcs, _, _] = &self.linear(TABLE_3).s;
        put_first(&mut answers, &format!("n_p={TABLE_3}"), "MCS", mcs);
        answers
    }

    fn table4(&mut self) -> Answers {
        let mut answers = Answers::default();
        for elements in ELEMENTS {
            let pendulum = self.linear(elements);
            for (name, elapsed) in FAMILIES.into_iter().zip(&pendulum.elapsed) {
                let answer = elapsed.clone().map(Computed::Real);
                answers.put(&format!("n_p={elements}"), &format!("t_{name}"), answer);
            }
        }
        answers
    }

    fn table5(&mut self) -> Answers {
        let mut answers = Answers::default();
        for elements in ELEMENTS {
            let [mcs, rcs, ucs] = &self.linear(elements).s;
            for (name, other) in [("RCS", rcs), ("UCS", ucs)] {
                for (part, of) in [("re", re as fn(&Eigenvalue) -> f64), ("im", im)] {
                    let largest = largest_difference(mcs, other, of).map(Computed::Real);
                    answers.put(&format!("n_p={elements}"), &format!("{part}_{name}"), largest);
                }
            }
        }
        answers
    }

    fn exact(&mut self) -> Answers {
        let mut answers = Answers::default();
        for elements in ELEMENTS {
            let row = format!("n_p={elements}");
            let [mcs, rcs, ucs] = &self.linear(elements).s;
            put_first(&mut answers, &row, "MCS", mcs);
            put_first(&mut answers, &row, "RCS", rcs);
            for k in 0..FIRST {
                let s = ucs.clone().map(|s| Computed::from(s[k]));
                answers.put_by(&row, &format!("p_{}", k + 1), "UCS", s);
            }
        }
        answers
    }

    fn claims(&mut self) -> Answers {
        for elements in ELEMENTS {
            self.linear(elements);
        }
        let solved: Vec<&Pendulum> = self.linear.iter().filter(|p| ELEMENTS.contains(&p.elements)).collect();
        let mut answers = Answers::default();
        for (claim, found) in hanging::pendulums(&solved) {
            answers.put(&format!("claim={claim}"), "value", found.map(Computed::Real));
        }
        answers
    }

    fn complete(&mut self) -> Answers {
        let mut answers = Answers::default();
        let pendulum = self.complete.get_or_insert_with(|| pendulum::measure(TABLE_3, true));
        let [mcs, rcs, _] = &pendulum.s;
        put_first(&mut answers, &format!("n_p={TABLE_3}"), "MCS", mcs);
        put_first(&mut answers, &format!("n_p={TABLE_3}"), "RCS", rcs);
        answers
    }
}

fn re(s: &Eigenvalue) -> f64 {
    s.re
}
fn im(s: &Eigenvalue) -> f64 {
    s.im
}

fn put_first(answers: &mut Answers, row: &str, by: &str, s: &Measured<[Eigenvalue; FIRST]>) {
    for k in 0..FIRST {
        answers.put_by(row, &format!("s_{}", k + 1), by, s.clone().map(|s| Computed::from(s[k])));
    }
}

fn largest_difference(
    a: &Measured<[Eigenvalue; FIRST]>,
    b: &Measured<[Eigenvalue; FIRST]>,
    of: fn(&Eigenvalue) -> f64,
) -> Measured<f64> {
    let (a, b) = (a.clone()?, b.clone()?);
    Ok(a.iter().zip(&b).fold(0.0, |m: f64, (a, b)| m.max((of(a) - of(b)).abs())))
}
