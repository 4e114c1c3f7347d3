//! `mb generate`: a model file to start from.

use crate::Answer;
use crate::args::GenerateArgs;
use crate::failure::Failure;
use crate::gallery;
use crate::render::{Column, Style, Table};
use crate::source::Text;
use mb_model::Model;

/// The model's text, or the list. The second value is the text that errors point into.
pub fn run(args: &GenerateArgs) -> (Result<Answer, Failure>, Option<Text>) {
    let Some(name) = args.name.as_deref().filter(|_| !args.list) else {
        return (Ok(Answer::right(list())), None);
    };
    match gallery::generate(name, &args.set) {
        Ok(content) => {
            let text = Text { name: format!("{name}.toml"), content };
            let checked = Model::from_toml(&text.content).map_err(Failure::from);
            (checked.map(|_| Answer::right(text.content.clone())), Some(text))
        }
        Err(e) => (Err(e.into()), None),
    }
}

fn list() -> String {
    let mut table = Table::new(vec![Column::words(""), Column::words("")]);
    for model in gallery::MODELS {
        table.row(vec![model.name.to_owned(), model.about.to_owned()]);
    }
    table.render(Style::PLAIN)
}
