//! The words of `schema`.

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use crate::schema::Shape;

/// `orchestrate schema`.
#[derive(Debug, Args)]
pub struct Schema {
    /// The file, or the line of one; without it, which there are.
    #[arg(value_enum)]
    pub name: Option<Shape>,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = SchemaFormat::Json, requires = "name")]
    pub format: SchemaFormat,
}

/// How a schema is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaFormat {
    /// JSON Schema, draft 2020-12.
    Json,
    /// As a page for people: of `matrix`, `target` and `toolchains`.
    Md,
}

impl ValueEnum for Shape {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.about()))
    }
}
