//! Answers as others read them: JSON, CSV, TSV, XML, N-Triples, Turtle, and a table for people.

use std::borrow::Cow;
use std::io::{self, Write};

use oxrdf::{Literal, Term, Variable};
use oxrdfio::{RdfFormat, RdfSerializer};
use sparesults::{QueryResultsFormat, QueryResultsSerializer};
use spareval::{QueryResults, QuerySolutionIter};

use super::{QueryError, Told};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Table,
    Json,
    Csv,
    Tsv,
    Xml,
    NTriples,
    Turtle,
}

impl Format {
    fn results(self) -> Option<QueryResultsFormat> {
        match self {
            Format::Json => Some(QueryResultsFormat::Json),
            Format::Csv => Some(QueryResultsFormat::Csv),
            Format::Tsv => Some(QueryResultsFormat::Tsv),
            Format::Xml => Some(QueryResultsFormat::Xml),
            Format::Table | Format::NTriples | Format::Turtle => None,
        }
    }
}

pub fn write(
    results: QueryResults<'_>,
    format: Option<Format>,
    most: u64,
    out: &mut dyn Write,
) -> Result<Told, QueryError> {
    let told = match results {
        QueryResults::Boolean(truth) => {
            match format.unwrap_or(Format::Table) {
                Format::Table => writeln!(out, "{}", if truth { "yes" } else { "no" })?,
                format => {
                    let serializer = QueryResultsSerializer::from_format(rows_format(format)?);
                    serializer.serialize_boolean_to_writer(&mut *out, truth)?;
                }
            }
            Told { rows: 1, cut: false }
        }
        QueryResults::Solutions(solutions) => match format.unwrap_or(Format::Table) {
            Format::Table => {
                let mut sheet = Sheet::new(solutions.variables());
                let told = sheet.fill(solutions, most)?;
                sheet.write(out)?;
                told
            }
            format => write_rows(solutions, rows_format(format)?, most, out)?,
        },
        QueryResults::Graph(triples) => {
            let format = match format.unwrap_or(Format::NTriples) {
                Format::NTriples | Format::Table => RdfFormat::NTriples,
                Format::Turtle => RdfFormat::Turtle,
                _ => {
                    let advice = "the answer is statements, not rows: --format nt or ttl";
                    return Err(QueryError::Refused(advice.to_owned()));
                }
            };
            let mut serializer = RdfSerializer::from_format(format).for_writer(&mut *out);
            let mut told = Told::default();
            for triple in triples {
                if told.rows == most {
                    told.cut = true;
                    break;
                }
                serializer.serialize_triple(&triple?)?;
                told.rows += 1;
            }
            serializer.finish()?;
            told
        }
    };
    out.flush()?;
    Ok(told)
}

fn rows_format(format: Format) -> Result<QueryResultsFormat, QueryError> {
    let advice = || {
        QueryError::Refused(
            "the answer is rows, not statements: --format table, json, csv, tsv or xml".to_owned(),
        )
    };
    format.results().ok_or_else(advice)
}

fn write_rows(
    solutions: QuerySolutionIter<'_>,
    format: QueryResultsFormat,
    most: u64,
    out: &mut dyn Write,
) -> Result<Told, QueryError> {
    let serializer = QueryResultsSerializer::from_format(format);
    let mut serializer =
        serializer.serialize_solutions_to_writer(&mut *out, solutions.variables().to_vec())?;
    let mut told = Told::default();
    for solution in solutions {
        if told.rows == most {
            told.cut = true;
            break;
        }
        let solution = solution?;
        if format == QueryResultsFormat::Xml {
            let terms = solution.iter().map(|(variable, term)| (variable, for_xml(term)));
            let terms: Vec<_> = terms.collect();
            serializer.serialize(terms.iter().map(|(variable, term)| (*variable, &**term)))?;
        } else {
            serializer.serialize(&solution)?;
        }
        told.rows += 1;
    }
    serializer.finish()?;
    Ok(told)
}

/// A term without the characters that XML 1.0 cannot hold, not even by their numbers. Only texts can have any.
fn for_xml(term: &Term) -> Cow<'_, Term> {
    let is_lost = |c: char| !matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    let Term::Literal(literal) = term else { return Cow::Borrowed(term) };
    if !literal.value().contains(is_lost) {
        return Cow::Borrowed(term);
    }
    let value = literal.value().replace(is_lost, "\u{fffd}");
    let literal = match literal.language() {
        Some(language) => Literal::new_language_tagged_literal_unchecked(value, language),
        None => Literal::new_typed_literal(value, literal.datatype()),
    };
    Cow::Owned(literal.into())
}

/// Rows in memory.
pub struct Sheet {
    pub variables: Vec<String>,
    pub rows: Vec<Vec<Option<Term>>>,
}

/// A column is no wider than this, unless it is the last.
const WIDEST: usize = 60;

impl Sheet {
    pub fn new(variables: &[Variable]) -> Sheet {
        Sheet {
            variables: variables.iter().map(|variable| variable.as_str().to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    pub fn fill(&mut self, solutions: QuerySolutionIter<'_>, most: u64) -> Result<Told, QueryError> {
        for solution in solutions {
            if self.rows.len() as u64 == most {
                return Ok(Told { rows: most, cut: true });
            }
            let row: Vec<Option<Term>> = solution?.values().to_vec();
            let bytes = row.iter().flatten().map(|term| term.to_string().len() + 48).sum();
            super::budget::hold(bytes);
            self.rows.push(row);
        }
        Ok(Told { rows: self.rows.len() as u64, cut: false })
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let cells: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(|term| cell(term.as_ref())).collect()).collect();
        let mut widths: Vec<usize> = self.variables.iter().map(|name| name.chars().count()).collect();
        for row in &cells {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count()).min(WIDEST);
            }
        }
        line(out, &self.variables, &widths)?;
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        line(out, &rule, &widths)?;
        cells.iter().try_for_each(|row| line(out, row, &widths))
    }
}

/// A term as people read it: addresses without brackets, texts without quotes, on one line.
fn cell(term: Option<&Term>) -> String {
    match term {
        None => String::new(),
        Some(Term::NamedNode(node)) => node.as_str().to_owned(),
        Some(Term::BlankNode(node)) => node.to_string(),
        Some(Term::Literal(literal)) => {
            literal.value().chars().map(|c| if is_for_machines(c) { ' ' } else { c }).collect()
        }
    }
}

fn line(out: &mut dyn Write, cells: &[String], widths: &[usize]) -> io::Result<()> {
    let last = cells.len().saturating_sub(1);
    for (place, cell) in cells.iter().enumerate() {
        let width = widths.get(place).copied().unwrap_or_default();
        let count = cell.chars().count();
        if place == last {
            write!(out, "{cell}")?;
        } else if count > width {
            let short: String = cell.chars().take(width.saturating_sub(1)).collect();
            write!(out, "{short}…  ")?;
        } else {
            write!(out, "{cell}{}  ", " ".repeat(width - count))?;
        }
    }
    writeln!(out)
}

/// Control characters, and marks that turn the direction of what stands around them.
fn is_for_machines(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
