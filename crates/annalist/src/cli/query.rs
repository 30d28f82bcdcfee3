//! What can be typed after `annalist query` and `annalist import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:
  annalist query collections/first 'SELECT ?type (COUNT(*) AS ?n) { ?x a ?type } GROUP BY ?type ORDER BY DESC(?n)'
  annalist query collections/2010 collections/2011 --file who-cites-whom.rq --format csv > citations.csv
  annalist query collections/first 'CONSTRUCT WHERE { ?post <https://schema.org/author> ?who }' --format ttl
  annalist query --data people.ttl 'ASK { ?x a <http://xmlns.com/foaf/0.1/Person> }'

In a collection each statement is in the graph of the capture it was made from: GRAPH ?capture { … } gives the source,
and a pattern without GRAPH is about all of them. --data and --named ask RDF files as they are. More is in docs/query.md.

Exit codes: 0 done, 4 bad configuration or a query that is not answered, 9 failed, 11 interrupted, 14 more rows than
--limit-rows or more memory than a query gets, 15 not answered within --time-limit.")]
pub struct QueryArgs {
    /// Job directories, asked together, and last the query in SPARQL 1.1; `-` reads it from standard input
    #[arg(value_name = "DIR|SPARQL")]
    pub words: Vec<String>,
    /// The query, from a file
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Ask this RDF file in place of a collection; may be given several times
    #[arg(long, value_name = "FILE")]
    pub data: Vec<PathBuf>,
    /// Ask this RDF file as the graph of that name; may be given several times
    #[arg(long, value_name = "IRI=FILE")]
    pub named: Vec<String>,
    /// What relative addresses are relative to, in the query and in --data
    #[arg(long, value_name = "IRI")]
    pub base: Option<String>,
    /// How the answer is written [default: table, and nt for statements]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<AnswerFormat>,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Give up after this long, such as 5m
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub time_limit: String,
    /// Tell no more rows than this
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub limit_rows: u64,
    /// Memory for what is found and not yet told, in MB
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    pub memory: usize,
    /// Show how the query is answered, with the rows of each step, in place of the answer
    #[arg(long)]
    pub explain: bool,
    /// Nothing but the answer
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    Table,
    Json,
    Csv,
    Tsv,
    Xml,
    Nt,
    Ttl,
}

#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:
  annalist import collections/first people.ttl places.nt.gz
  annalist import collections/first thesaurus.rdf --graph http://library.example/thesaurus
  annalist import collections/first --list
  annalist import collections/first --remove thesaurus.rdf
  echo '<http://a.example/> <http://purl.org/dc/terms/subject> \"ships\" .' | annalist import collections/first -

Files are kept in DIR/imports, so that `annalist rebuild` can import them again. The same file again, in the same format and into
the same graph, changes nothing.

Exit codes: 0 done, 3 disk full, 4 bad configuration, 9 failed, or some of it could not be read, 11 interrupted: files
that were told are imported, the others are not.")]
pub struct ImportArgs {
    /// The job directory
    #[arg(value_name = "DIR")]
    pub job: PathBuf,
    /// N-Triples (.nt), N-Quads (.nq), Turtle (.ttl), TriG (.trig) or RDF/XML (.rdf), also .gz; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["list", "remove"])]
    pub files: Vec<PathBuf>,
    /// The graph for statements that have none
    #[arg(long, value_name = "IRI")]
    pub graph: Option<String>,
    /// nt, nq, ttl, trig or rdf, where the name does not tell; nq for standard input
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Take back what was imported under this name; may be given several times
    #[arg(long, value_name = "NAME", conflicts_with_all = ["files", "list"])]
    pub remove: Vec<String>,
    /// Tell what was imported
    #[arg(long, conflicts_with = "files")]
    pub list: bool,
    /// Import nothing of a file in which something cannot be read
    #[arg(long)]
    pub strict: bool,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
    /// No report
    #[arg(long, short)]
    pub quiet: bool,
}
