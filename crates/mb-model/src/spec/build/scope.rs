//! Values of parameters and expressions, in any scalar.

use crate::element::Data;
use crate::law::{Term, TimeLaw, TimeLeaf};
use crate::spec::error::{Path, Problem, Problems};
use crate::spec::expression::{self, Leaf, is_name_part, is_name_start};
use crate::spec::fault::{LARGEST, SMALLEST};
use crate::spec::nearest::nearest;
use crate::spec::{Fault, ModelSpec, NameFault, Value};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Values of the indices of the families around a table, the outermost first.
pub(super) type Loops = [(String, f64)];

/// What a name in an expression may stand for.
#[derive(Debug)]
pub(super) struct Scope<P> {
    parameters: BTreeMap<String, P>,
    /// Expressions that were read already; families evaluate each many times.
    terms: RefCell<HashMap<String, Rc<Term<Leaf>>>>,
    /// Searches for hints that may still be made; see [`Scope::may_search`].
    searches: Cell<u32>,
}

/// Searches through all names that the messages of one model may cost, so that a long file with
/// a fault in every line is refused as fast as a good one is read.
const SEARCHES: u32 = 100;

/// The value of a name, or what stands in the way.
enum Meaning<P> {
    Number(P),
    Time,
    Unknown,
}

impl<P: Data> Scope<P> {
    /// Evaluates the parameters of a description, but for those that are given.
    pub(super) fn new(spec: &ModelSpec, given: &BTreeMap<String, P>, problems: &mut Problems) -> Self {
        let mut scope =
            Self { parameters: BTreeMap::new(), terms: RefCell::default(), searches: Cell::new(SEARCHES) };
        for (name, value) in given {
            if spec.parameters.contains_key(name) {
                scope.parameters.insert(name.clone(), *value);
            } else {
                let nearest = nearest(name, spec.parameters.keys().map(String::as_str));
                let fault = Fault::NoSuchParameter { name: name.clone(), nearest };
                problems.keep::<()>(Err(Problem::new("", Path::default(), fault)));
            }
        }
        let mut state = HashMap::new();
        for name in spec.parameters.keys() {
            scope.define(spec, name, &mut state, problems);
        }
        scope
    }

    /// The values of the parameters.
    pub(super) fn into_parameters(self) -> BTreeMap<String, P> {
        self.parameters
    }

    /// Evaluates one parameter after those it is made of. Depth first with a stack of its own,
    /// since a chain of parameters can be as long as the file.
    fn define(
        &mut self,
        spec: &ModelSpec,
        first: &str,
        state: &mut HashMap<String, Visit>,
        problems: &mut Problems,
    ) {
        let mut stack = vec![first.to_owned()];
        while let Some(name) = stack.last().cloned() {
            if self.parameters.contains_key(&name) || state.get(&name) == Some(&Visit::Done) {
                stack.pop();
                continue;
            }
            let value = &spec.parameters[&name];
            if state.insert(name.clone(), Visit::Open).is_none() {
                let before = stack.len();
                for used in self.names_in(value) {
                    // What is open stands on the way here.
                    if state.get(&used) == Some(&Visit::Open) {
                        let fault = Fault::ParameterCycle { names: cycle(&stack[..before], state, &used) };
                        problems.keep::<()>(Err(parameter_problem(&name, fault)));
                        // One report per cycle: what is on it counts as done.
                        for n in &stack {
                            state.insert(n.clone(), Visit::Done);
                        }
                        return;
                    }
                    if spec.parameters.contains_key(&used) && !self.parameters.contains_key(&used) {
                        stack.push(used);
                    }
                }
                if stack.len() > before {
                    continue;
                }
            }
            // A parameter made of a faulty one is not at fault itself.
            let faulty = |n: &String| spec.parameters.contains_key(n) && !self.parameters.contains_key(n);
            if self.names_in(value).iter().any(faulty) {
                state.insert(name, Visit::Done);
                stack.pop();
                continue;
            }
            let result = parameter_name(&name).and_then(|()| self.eval(value, &[]));
            if let Some(x) = problems.keep(result.map_err(|f| parameter_problem(&name, f))) {
                self.parameters.insert(name.clone(), x);
            }
            state.insert(name, Visit::Done);
            stack.pop();
        }
    }
    fn names_in(&self, value: &Value) -> Vec<String> {
        let mut names = Vec::new();
        if let Value::Expression(text) = value
            && let Ok(term) = self.term(text)
        {
            let _: Result<Term<()>, ()> = term.map(&mut |leaf| {
                if let Leaf::Name(name) = leaf {
                    names.push(name.clone());
                }
                Ok(())
            });
        }
        names
    }

    /// The expression of a text.
    fn term(&self, text: &str) -> Result<Rc<Term<Leaf>>, Fault> {
        if let Some(term) = self.terms.borrow().get(text) {
            return Ok(Rc::clone(term));
        }
        let term = expression::parse(text)
            .map(Rc::new)
            .map_err(|error| Fault::Expression { text: text.to_owned(), error })?;
        self.terms.borrow_mut().insert(text.to_owned(), Rc::clone(&term));
        Ok(term)
    }
    fn meaning(&self, name: &str, loops: &Loops) -> Meaning<P> {
        if let Some((_, x)) = loops.iter().find(|(n, _)| n == name) {
            return Meaning::Number(P::cst(*x));
        }
        match (self.parameters.get(name), name) {
            (Some(x), _) => Meaning::Number(*x),
            (None, "pi") => Meaning::Number(P::cst(core::f64::consts::PI)),
            (None, "t") => Meaning::Time,
            _ => Meaning::Unknown,
        }
    }
    fn fault_of(&self, text: &str, name: &str, loops: &Loops) -> Fault {
        let text = text.to_owned();
        if name == "t" {
            return Fault::TimeNotAllowed { text };
        }
        let names = self.parameters.keys().map(String::as_str).chain(loops.iter().map(|(n, _)| n.as_str()));
        let nearest = if self.may_search() { nearest(name, names) } else { None };
        Fault::UnknownParameter { text, name: name.to_owned(), nearest }
    }
    /// True while a message may search through all names.
    pub(super) fn may_search(&self) -> bool {
        let left = self.searches.get();
        self.searches.set(left.saturating_sub(1));
        left > 0
    }

    /// The value of a constant.
    pub(super) fn eval(&self, value: &Value, loops: &Loops) -> Result<P, Fault> {
        let text = match value {
            Value::Number(x) if x.is_finite() => return in_range(P::cst(*x)),
            Value::Number(x) => return Err(Fault::NotANumber { value: *x }),
            Value::Expression(text) => text,
        };
        let term = self.term(text)?;
        let bad = RefCell::new(None);
        let x: P = term.eval(&|leaf| match leaf {
            Leaf::Number(x) => P::cst(*x),
            Leaf::Name(name) => {
                if let Meaning::Number(x) = self.meaning(name, loops) {
                    return x;
                }
                bad.borrow_mut().get_or_insert_with(|| name.clone());
                P::zero()
            }
        });
        if let Some(name) = bad.into_inner() {
            return Err(self.fault_of(text, &name, loops));
        }
        if x.is_finite() {
            in_range(x)
        } else {
            Err(Fault::NotFinite { text: text.clone(), value: x.value() })
        }
    }
    /// A function of time; it must be finite at t = 0.
    pub(super) fn law(&self, value: &Value, loops: &Loops) -> Result<TimeLaw<P>, Fault> {
        let Value::Expression(text) = value else { return self.eval(value, loops).map(TimeLaw::constant) };
        let law = self.term(text)?.map(&mut |leaf| {
            Ok(match leaf {
                Leaf::Number(x) => TimeLeaf::Number(P::cst(*x)),
                Leaf::Name(name) => match self.meaning(name, loops) {
                    Meaning::Number(x) => TimeLeaf::Number(x),
                    Meaning::Time => TimeLeaf::Time,
                    Meaning::Unknown => return Err(self.fault_of(text, name, loops)),
                },
            })
        })?;
        let law = TimeLaw(law);
        let start = law.eval(P::zero());
        if start.is_finite() {
            in_range(start).map(|_| law)
        } else {
            Err(Fault::NotFinite { text: format!("{text} at t = 0"), value: start.value() })
        }
    }
    /// A function of another variable than time; it must be finite at zero.
    pub(super) fn function_of(
        &self,
        variable: &str,
        value: &Value,
        loops: &Loops,
    ) -> Result<TimeLaw<P>, Fault> {
        let Value::Expression(text) = value else { return self.eval(value, loops).map(TimeLaw::constant) };
        let law = TimeLaw(self.term(text)?.map(&mut |leaf| {
            Ok(match leaf {
                Leaf::Number(x) => TimeLeaf::Number(P::cst(*x)),
                Leaf::Name(name) if name == variable => TimeLeaf::Time,
                Leaf::Name(name) => match self.meaning(name, loops) {
                    Meaning::Number(x) => TimeLeaf::Number(x),
                    _ => return Err(self.fault_of(text, name, loops)),
                },
            })
        })?);
        let start = law.eval(P::zero());
        if start.is_finite() {
            in_range(start).map(|_| law)
        } else {
            Err(Fault::NotFinite { text: format!("{text} at {variable} = 0"), value: start.value() })
        }
    }
    /// A whole number.
    pub(super) fn whole(&self, value: &Value, loops: &Loops) -> Result<i64, Fault> {
        let x = self.eval(value, loops)?.value();
        let fault = || Fault::NotWhole { text: value.to_string(), value: x };
        whole(x).ok_or_else(fault)
    }
    /// A name or reference with everything in braces replaced by its whole number.
    pub(super) fn fill<'a>(&self, text: &'a str, loops: &Loops) -> Result<Cow<'a, str>, Fault> {
        if !text.contains(['{', '}']) {
            return Ok(Cow::Borrowed(text));
        }
        let brace = || Fault::Brace { text: text.to_owned() };
        let mut out = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let (before, after) = rest.split_at(open);
            let close = after.find('}').ok_or_else(brace)?;
            out.push_str(before);
            out.push_str(&self.whole(&Value::from(&after[1..close]), loops)?.to_string());
            rest = &after[close + 1..];
            if before.contains('}') {
                return Err(brace());
            }
        }
        if rest.contains('}') {
            return Err(brace());
        }
        out.push_str(rest);
        Ok(Cow::Owned(out))
    }
    /// Checks the name of an index.
    pub(super) fn check_index(&self, name: &str, loops: &Loops) -> Result<(), Fault> {
        parameter_name(name)?;
        if self.parameters.contains_key(name) || loops.iter().any(|(n, _)| n == name) {
            return Err(illegal(name, NameFault::Shadows));
        }
        Ok(())
    }
}

/// Refuses numbers whose powers would overflow or vanish.
fn in_range<P: Data>(x: P) -> Result<P, Fault> {
    let size = x.value().abs();
    if size == 0.0 || (SMALLEST..=LARGEST).contains(&size) {
        Ok(x)
    } else {
        Err(Fault::OutOfRange { value: x.value() })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Open,
    Done,
}

/// The names on the way from `used` back to itself; the middle of a long way is left out.
fn cycle(stack: &[String], state: &HashMap<String, Visit>, used: &str) -> Vec<String> {
    const MOST: usize = 8;
    let open = stack.iter().filter(|n| state.get(*n) == Some(&Visit::Open));
    let mut names: Vec<String> = open.skip_while(|n| *n != used).cloned().collect();
    if names.len() > MOST {
        names.drain(MOST / 2..names.len() - MOST / 2);
        names.insert(MOST / 2, "...".to_owned());
    }
    names.push(used.to_owned());
    names
}

fn parameter_problem(name: &str, fault: Fault) -> Box<Problem> {
    let path = Path(vec!["parameters".into(), name.into()]);
    Problem::new(format!("parameter '{name}'"), path, fault)
}

fn illegal(name: &str, reason: NameFault) -> Fault {
    Fault::IllegalName { name: name.to_owned(), reason }
}

/// A name that may stand in an expression.
fn parameter_name(name: &str) -> Result<(), Fault> {
    let reserved = ["pi", "t"].contains(&name) || crate::law::Function::named(name).is_some();
    let mut characters = name.chars();
    let reason = match characters.next() {
        None => NameFault::Empty,
        Some(c) if !is_name_start(c) => NameFault::InExpression(c),
        Some(_) => match characters.find(|c| !is_name_part(*c)) {
            Some(c) => NameFault::InExpression(c),
            None if reserved => NameFault::Reserved,
            None => return Ok(()),
        },
    };
    Err(illegal(name, reason))
}

/// A name that may be referred to.
pub(super) fn check_name(name: &str) -> Result<(), Fault> {
    let legal = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let reason = match name.chars().find(|c| !legal(*c)) {
        Some(c) => NameFault::Character(c),
        None if name.is_empty() => NameFault::Empty,
        None if name == "ground" => NameFault::Reserved,
        None => return Ok(()),
    };
    Err(illegal(name, reason))
}

/// The whole number nearest to `x`, when `x` is one to rounding.
fn whole(x: f64) -> Option<i64> {
    let near = x.round();
    #[expect(clippy::cast_possible_truncation, reason = "the size is checked first")]
    ((x - near).abs() <= 1e-9 * near.abs().max(1.0) && near.abs() < 1e15).then_some(near as i64)
}
