//! `orchestrate schema`: the shape of a file that is read or written.

use crate::cli::{Schema, SchemaFormat};
use crate::console::Console;
use crate::error::{End, Error};
use crate::matrix::problem::Problem;
use crate::schema::Shape;

pub(super) fn schema(words: &Schema, console: Console) -> Result<End, Error> {
    let text = match (words.name, words.format) {
        (None, _) => list(),
        (Some(shape), SchemaFormat::Json) => format!("{:#}\n", shape.schema()),
        (Some(shape), SchemaFormat::Md) => shape.page().ok_or_else(|| no_page(shape))?,
    };
    console.data(&text)?;
    Ok(End::Done)
}

/// Every name, with what it is of.
fn list() -> String {
    let width = Shape::ALL.iter().map(|shape| shape.name().len()).max().unwrap_or_default();
    let line = |shape: &Shape| format!("{:width$}  {}\n", shape.name(), shape.about());
    Shape::ALL.iter().map(line).collect()
}

fn no_page(shape: Shape) -> Error {
    let what = format!("there is no page of `{}`", shape.name());
    let hint = "leave `--format` out: its JSON Schema says the same";
    Error::Problems(vec![Problem::without_place(what).hint(hint)])
}
