//! Tables with types, for pandas, R and DuckDB: Parquet, in row groups that bound the memory.

use std::fs::File;
use std::sync::Arc;

use anyhow::{Context, Result};
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

const ROWS_A_GROUP: usize = 50_000;
const BYTES_A_GROUP: usize = 32 << 20;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Number,
    Real,
    /// Milliseconds since 1970, in Greenwich.
    Moment,
    /// Since 1970.
    Day,
}

/// A cell that is there.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    Text(&'a str),
    Number(i64),
    Real(f64),
    Moment(i64),
    Day(i32),
}

pub struct Table {
    writer: SerializedFileWriter<File>,
    columns: Vec<Column>,
    rows: usize,
    bytes: usize,
}

#[derive(Debug)]
struct Column {
    /// 1 where there is a value.
    there: Vec<i16>,
    values: Values,
}

#[derive(Debug)]
enum Values {
    Texts(Vec<ByteArray>),
    Numbers(Vec<i64>),
    Reals(Vec<f64>),
    Days(Vec<i32>),
}

impl Table {
    pub fn new(file: File, name: &str, columns: &[(&str, Kind)]) -> Result<Table> {
        let fields = columns.iter().map(|(name, kind)| field(name, *kind)).collect::<Result<_>>()?;
        let schema = Type::group_type_builder(name).with_fields(fields).build()?;
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()));
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build()))?;
        let columns = columns.iter().map(|(_, kind)| Column::new(*kind)).collect();
        Ok(Table { writer, columns, rows: 0, bytes: 0 })
    }

    /// One cell for each column.
    pub fn row(&mut self, cells: &[Option<Cell<'_>>]) -> Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            self.bytes += column.push(*cell);
        }
        self.rows += 1;
        if self.rows >= ROWS_A_GROUP || self.bytes >= BYTES_A_GROUP {
            self.write_group()?;
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            let mut out = group.next_column()?.context("a column is missing")?;
            let there = Some(column.there.as_slice());
            match &mut column.values {
                Values::Texts(values) => out.typed::<ByteArrayType>().write_batch(values, there, None)?,
                Values::Numbers(values) => out.typed::<Int64Type>().write_batch(values, there, None)?,
                Values::Reals(values) => out.typed::<DoubleType>().write_batch(values, there, None)?,
                Values::Days(values) => out.typed::<Int32Type>().write_batch(values, there, None)?,
            };
            out.close()?;
            column.clear();
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }

    /// Whole, and on the disk.
    pub fn finish(mut self) -> Result<()> {
        self.write_group()?;
        let file = self.writer.into_inner()?;
        file.sync_all().context("cannot be written")
    }
}

impl Column {
    fn new(kind: Kind) -> Column {
        let values = match kind {
            Kind::Text => Values::Texts(Vec::new()),
            Kind::Number | Kind::Moment => Values::Numbers(Vec::new()),
            Kind::Real => Values::Reals(Vec::new()),
            Kind::Day => Values::Days(Vec::new()),
        };
        Column { there: Vec::new(), values }
    }

    /// About how many bytes it takes. A cell of another kind than the column's is none.
    fn push(&mut self, cell: Option<Cell<'_>>) -> usize {
        let mut bytes = 8;
        let there = match (&mut self.values, cell) {
            (Values::Texts(values), Some(Cell::Text(text))) => {
                bytes += 32 + text.len();
                values.push(ByteArray::from(text));
                1
            }
            (Values::Numbers(values), Some(Cell::Number(number) | Cell::Moment(number))) => {
                values.push(number);
                1
            }
            (Values::Reals(values), Some(Cell::Real(number))) => {
                values.push(number);
                1
            }
            (Values::Days(values), Some(Cell::Day(number))) => {
                values.push(number);
                1
            }
            _ => 0,
        };
        self.there.push(there);
        bytes
    }

    fn clear(&mut self) {
        self.there.clear();
        match &mut self.values {
            Values::Texts(values) => values.clear(),
            Values::Numbers(values) => values.clear(),
            Values::Reals(values) => values.clear(),
            Values::Days(values) => values.clear(),
        }
    }
}

fn field(name: &str, kind: Kind) -> Result<Arc<Type>> {
    let (physical, logical) = match kind {
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Number => (Physical::INT64, None),
        Kind::Real => (Physical::DOUBLE, None),
        Kind::Moment => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MILLIS))),
        Kind::Day => (Physical::INT32, Some(LogicalType::Date)),
    };
    let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    Ok(Arc::new(builder.with_logical_type(logical).build()?))
}
