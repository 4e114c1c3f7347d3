//! Reading TOML into the tables, with the place of every fault.
//!
//! A serde deserializer over the parsed document with spans. It differs from the one of the
//! `toml` crate in its error, which keeps what was wrong as data (the unknown key and the
//! valid ones, the missing key) instead of a sentence.

use super::error::{ModelError, Path, Problem, Step};
use super::fault::Fault;
use super::fault_help::{LIST, SIX, THREE};
use super::legible::is_obeyed;
use super::locate::{Lines, entry};
use super::nearest::nearest;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, Expected, IntoDeserializer, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads a document.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, ModelError> {
    let document = DeTable::parse(text).map_err(|e| {
        let span = e.span().unwrap_or(0..0);
        let message = syntax_words(e.message().trim(), span.is_empty());
        let help = meant(text, span.start).or_else(|| remedy(e.message()));
        let fault = Fault::Syntax { message, help };
        let mut problem = Problem::new("", Path::default(), fault);
        problem.position = Some(Lines::new(text).position(span));
        ModelError::from(problem)
    })?;
    let root = document.get_ref();
    T::deserialize(Node { value: NodeValue::Table(root) }).map_err(|e| {
        let mut steps = e.steps;
        steps.reverse();
        let fault = match *e.fault {
            Fault::MissingKey { key } if steps.is_empty() && key == "units" => Fault::MissingUnits,
            Fault::MissingKey { key } if steps.is_empty() && key == "name" => Fault::MissingName,
            Fault::UnknownWord { word, .. } if steps == [Step::from("units")] => {
                Fault::WrongUnits { found: word }
            }
            other => other,
        };
        let mut problem = Problem::new(subject(root, &steps), Path(steps), fault);
        problem.position = Some(Lines::new(text).position(e.span.unwrap_or(0..0)));
        ModelError::from(problem)
    })
}

/// The parser's message in the words of a person who writes the file, where we have them.
fn syntax_words(message: &str, at_nothing: bool) -> String {
    match message {
        m if m.starts_with("string values must be quoted") && at_nothing => "a value is missing here",
        m if m.starts_with("string values must be quoted") => "a text must stand in quotes",
        m if m.starts_with("invalid basic string") => "the text is not closed with `\"`, or has a stray `\\`",
        m if m.starts_with("duplicate key") => "the key stands here twice",
        m => m,
    }
    .to_owned()
}

/// What to do about an error of the TOML parser that its words do not say.
fn remedy(message: &str) -> Option<&'static str> {
    if message.contains("recurse") {
        return Some("no key of a model has more than a list of lists: close the brackets earlier");
    }
    message
        .contains("duplicate key")
        .then_some("remove one of the two, or give another table its own `[[...]]`")
}

/// What to write where the text is no TOML at a byte: what is often pasted there.
fn meant(text: &str, at: usize) -> Option<&'static str> {
    let (before, after) = text.split_at_checked(at)?;
    let line = after.lines().next().unwrap_or_default();
    match text.trim_start().chars().next() {
        Some('{') if before.trim().is_empty() => {
            return Some(
                "this looks like JSON; a model file is TOML, as `mb generate rod-pendulum` prints it",
            );
        }
        Some('<') if before.trim().is_empty() => {
            return Some(
                "this looks like XML; a model file is TOML, as `mb generate rod-pendulum` prints it",
            );
        }
        _ => {}
    }
    if after.starts_with(',') && before.ends_with(|c: char| c.is_ascii_digit()) {
        return Some("numbers are written with a decimal point, as in `2.5`, and lists in brackets");
    }
    if line.starts_with("np.") || line.starts_with("numpy.") {
        return Some("write the number alone, as in `2.5`");
    }
    let expression = line.contains(['*', '/', '(', '+']) && before.trim_end().ends_with('=');
    expression.then_some("an expression stands in quotes, as in `\"2*L/3\"`")
}

/// The innermost named table on the way, such as `joint 'elbow'`.
fn subject(root: &DeTable<'_>, steps: &[Step]) -> String {
    let mut subject = String::new();
    let mut here: Option<&Spanned<DeValue<'_>>> = None;
    let mut kind = "";
    for step in steps {
        let next = match (step, here.map(Spanned::get_ref)) {
            (Step::Key(key), None) => entry(root, key),
            (Step::Key(key), Some(DeValue::Table(table))) => entry(table, key),
            (Step::Index(k), Some(DeValue::Array(list))) => list.get(*k),
            _ => None,
        };
        let Some(next) = next else { break };
        if let Step::Key(key) = step {
            kind = key;
        }
        if let (Step::Index(_), DeValue::Table(table)) = (step, next.get_ref()) {
            let name = entry(table, "name").and_then(|n| n.get_ref().as_str());
            subject = name.map_or_else(|| format!("[[{kind}]]"), |n| format!("{kind} '{n}'"));
        }
        here = Some(next);
    }
    subject
}

/// What is wrong, and where, collected from the inside outwards.
#[derive(Debug)]
struct ReadError {
    fault: Box<Fault>,
    span: Option<Range<usize>>,
    steps: Vec<Step>,
}

impl ReadError {
    #[cold]
    #[inline(never)]
    fn new(fault: Fault) -> Self {
        Self { fault: Box::new(fault), span: None, steps: Vec::new() }
    }
    /// The same of a place where one of some words must stand.
    #[cold]
    #[inline(never)]
    fn expecting_one_of(mut self, words: &[&str]) -> Self {
        if let Fault::WrongType { expected, .. } = &mut *self.fault {
            *expected = one_of(words);
        }
        self
    }
    /// The same from one level further out. Not inlined: it would stand in the reader of every key of every table.
    #[cold]
    #[inline(never)]
    fn at(mut self, span: Range<usize>, step: Step) -> Self {
        self.span.get_or_insert(span);
        self.steps.push(step);
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.fault)
    }
}
impl std::error::Error for ReadError {}

impl de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(Fault::Malformed { message: message.to_string() })
    }
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(Fault::WrongType { found: found_words(&found), expected: expected_words(expected) })
    }
    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }
    fn invalid_length(found: usize, expected: &dyn Expected) -> Self {
        Self::new(Fault::WrongLength { found, expected: expected_words(expected) })
    }
    fn unknown_variant(word: &str, valid: &'static [&'static str]) -> Self {
        Self::new(Fault::UnknownWord {
            word: word.to_owned(),
            nearest: nearest(word, valid.iter().copied()),
            valid: valid.iter().map(|w| (*w).to_owned()).collect(),
        })
    }
    fn unknown_field(key: &str, valid: &'static [&'static str]) -> Self {
        Self::new(Fault::UnknownKey {
            key: key.to_owned(),
            nearest: nearest(key, valid.iter().copied()),
            valid: valid.iter().map(|w| (*w).to_owned()).collect(),
        })
    }
    fn missing_field(key: &'static str) -> Self {
        Self::new(Fault::MissingKey { key: key.to_owned() })
    }
}

/// What stands in the file, in words.
fn found_words(found: &Unexpected<'_>) -> String {
    match found {
        Unexpected::Str(text) => format!("the text {text:?}"),
        Unexpected::Signed(x) => format!("the number {x}"),
        // A number with three hundred zeros is not read as one.
        Unexpected::Float(x) if x.abs() >= 1e16 => format!("the number {x:e}"),
        Unexpected::Float(x) => format!("the number {x}"),
        Unexpected::Bool(x) => format!("{x}"),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a table".to_owned(),
        other => other.to_string(),
    }
}

/// The words that may stand where another thing was found.
fn one_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("{w:?}")).collect();
    match &quoted[..] {
        [one] => one.clone(),
        _ => format!("one of {}", quoted.join(", ")),
    }
}

/// What serde expects, in words for a person who writes TOML.
fn expected_words(expected: &dyn Expected) -> String {
    match expected.to_string().as_str() {
        "a string" => "a text in quotes".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => LIST.to_owned(),
        "a map" => "a table".to_owned(),
        "an array of length 2" => "a pair [x, y]".to_owned(),
        "an array of length 3" => THREE.to_owned(),
        "an array of length 4" => "four numbers".to_owned(),
        "an array of length 6" => SIX.to_owned(),
        "u8" => "a whole number from 0 to 255".to_owned(),
        other if other.starts_with("struct ") => "a table".to_owned(),
        other => other.to_owned(),
    }
}

#[derive(Clone, Copy)]
enum NodeValue<'a, 'i> {
    Table(&'a DeTable<'i>),
    Value(&'a DeValue<'i>),
}

/// A value as serde's visitors take it.
enum Kind<'a, 'i> {
    Text(&'a str),
    Whole(i64),
    Real(f64),
    Truth(bool),
    Date,
    Table(&'a DeTable<'i>),
    List(&'a [Spanned<DeValue<'i>>]),
}

/// A value of the document as a deserializer.
struct Node<'a, 'i> {
    value: NodeValue<'a, 'i>,
}

impl<'a, 'i> Node<'a, 'i> {
    fn of(value: &'a Spanned<DeValue<'i>>) -> Self {
        Self { value: NodeValue::Value(value.get_ref()) }
    }
    /// Apart from [`Deserializer::deserialize_any`], which is compiled again for each of many visitors.
    fn kind(&self) -> Result<Kind<'a, 'i>, ReadError> {
        let value = match self.value {
            NodeValue::Table(table) => return Ok(Kind::Table(table)),
            NodeValue::Value(value) => value,
        };
        Ok(match value {
            DeValue::String(text) => match text.chars().find(|c| is_obeyed(*c)) {
                Some(character) => return Err(ReadError::new(Fault::ObeyedCharacter { character })),
                None => Kind::Text(text),
            },
            DeValue::Integer(x) => Kind::Whole(
                i64::from_str_radix(x.as_str(), x.radix())
                    .map_err(|_| de::Error::custom(format_args!("the number {x} is too large")))?,
            ),
            DeValue::Float(x) => Kind::Real(
                x.as_str()
                    .parse()
                    .map_err(|_| de::Error::custom(format_args!("{} is not a number", x.as_str())))?,
            ),
            DeValue::Boolean(x) => Kind::Truth(*x),
            DeValue::Datetime(_) => Kind::Date,
            DeValue::Table(table) => Kind::Table(table),
            DeValue::Array(list) => Kind::List(list),
        })
    }
}

impl<'de> Deserializer<'de> for Node<'_, '_> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.kind()? {
            Kind::Text(text) => visitor.visit_str(text),
            Kind::Whole(x) => visitor.visit_i64(x),
            Kind::Real(x) => visitor.visit_f64(x),
            Kind::Truth(x) => visitor.visit_bool(x),
            Kind::Date => Err(date(&visitor)),
            Kind::Table(table) => visit_table(table, visitor),
            Kind::List(items) => {
                let mut access = List { items: items.iter().enumerate() };
                let out = visitor.visit_seq(&mut access)?;
                match access.items.len() {
                    0 => Ok(out),
                    left => Err(too_long(items.len(), left)),
                }
            }
        }
    }
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.value {
            NodeValue::Value(DeValue::String(text)) => {
                de::value::StrDeserializer::<ReadError>::new(text).deserialize_enum(name, variants, visitor)
            }
            _ => self.deserialize_str(visitor).map_err(|error| error.expecting_one_of(variants)),
        }
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }
    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cold]
fn date(expected: &dyn Expected) -> ReadError {
    de::Error::invalid_type(Unexpected::Other("a date"), expected)
}

#[cold]
fn too_long(found: usize, left: usize) -> ReadError {
    de::Error::invalid_length(found, &Fewer(found - left))
}

/// Words for a list that is too long.
struct Fewer(usize);
impl Expected for Fewer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            2 => f.write_str("a pair [x, y]"),
            3 => f.write_str("three numbers [x, y, z]"),
            n => write!(f, "a list of {n}"),
        }
    }
}

fn visit_table<'de, V: Visitor<'de>>(table: &DeTable<'_>, visitor: V) -> Result<V::Value, ReadError> {
    visitor.visit_map(Entries { items: table.iter(), value: None })
}

struct List<'a, 'i> {
    items: std::iter::Enumerate<std::slice::Iter<'a, Spanned<DeValue<'i>>>>,
}

impl<'de> de::SeqAccess<'de> for &mut List<'_, '_> {
    type Error = ReadError;
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some((k, item)) = self.items.next() else { return Ok(None) };
        seed.deserialize(Node::of(item)).map(Some).map_err(|e| e.at(item.span(), Step::Index(k)))
    }
    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

type Item<'a, 'i> = (&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>);

#[cold]
#[inline(never)]
fn within(e: ReadError, span: Range<usize>, key: &Spanned<std::borrow::Cow<'_, str>>) -> ReadError {
    e.at(span, Step::Key(key.get_ref().to_string()))
}

struct Entries<'a, 'i, I: Iterator<Item = Item<'a, 'i>>> {
    items: I,
    value: Option<Item<'a, 'i>>,
}

impl<'a, 'i, 'de, I: Iterator<Item = Item<'a, 'i>>> de::MapAccess<'de> for Entries<'a, 'i, I>
where
    'i: 'a,
{
    type Error = ReadError;
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        let Some(item) = self.items.next() else { return Ok(None) };
        self.value = Some(item);
        let key = item.0;
        let deserializer: de::value::StrDeserializer<'_, ReadError> =
            key.get_ref().as_ref().into_deserializer();
        seed.deserialize(deserializer).map(Some).map_err(|e| within(e, key.span(), key))
    }
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ReadError> {
        let Some((key, value)) = self.value.take() else {
            return Err(de::Error::custom("a value was asked for before its key"));
        };
        seed.deserialize(Node::of(value)).map_err(|e| within(e, value.span(), key))
    }
}
