//! What can be typed. Each option is defined once, here; checking values is the spec's concern.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

mod across;
mod push;
mod query;
mod rebuild;
mod search;
mod select;
mod serve;
mod study;

pub use across::{Across, AcrossArgs, AssociationsArgs, CrawlsArgs};
pub use push::PushArgs;
pub use query::{AnswerFormat, ImportArgs, QueryArgs};
pub use rebuild::RebuildArgs;
pub use search::{SearchArgs, SortArg, options_first};
pub use select::SelectArgs;
pub use serve::{AllowedArgs, ServeArgs};
pub use study::StudyArgs;

#[derive(Debug, Parser)]
#[command(
    name = "annalist",
    version,
    about = "Builds topical web archives: crawls, keeps every byte as WARC, and can say why.",
    after_help = "Examples:
  annalist demo                                  crawl a small web made for trying, on this machine, and compare
  annalist check specs/first.toml                what is wrong with a spec, and what it amounts to
  annalist crawl specs/first.toml                archive what a spec describes; again to resume
  annalist crawl --url https://www.example.org/ --contact https://library.example/crawler --limit 100
  annalist explain collections/first https://www.example.org/a    why was this (not) fetched?"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Archive what a spec describes; run again on the same job directory to resume
    Crawl(Box<CrawlArgs>),
    /// Take a collection out of archives: best pages first, each as it was then; run again to resume
    Extract(ExtractArgs),
    /// Run many crawls at once, and steer them with a browser or over HTTP
    Serve(ServeArgs),
    /// How a crawl stands, running or not
    Status(StatusArgs),
    /// Ask a running crawl to finish the pages under way and stop
    Stop(JobArgs),
    /// Why a URL was, or was not, fetched: every decision with its reason
    Explain(ExplainArgs),
    /// Find words in the archive: pages, posts and comments, with facets, and where each is kept
    Search(Box<SearchArgs>),
    /// Report every mistake in a spec with line and key, and show the effective spec
    Check(CheckArgs),
    /// Learn what a topic's reference pages have in common, and write it down to be corrected
    Learn(LearnArgs),
    /// Say what a page and its links are worth, and which words and signals made it so
    Judge(JudgeArgs),
    /// Say what software made a page, what was written on it, and which of its links lead to more
    Apps(AppsArgs),
    /// Say when pages were published, how sure that is, and what says so
    Date(DateArgs),
    /// Make a sorted CDXJ index of WARC files, or count in how many of their documents each term occurs
    Index(IndexArgs),
    /// Validate WARC and WACZ files strictly
    Verify(VerifyArgs),
    /// Propose which pages enter the final collection, by rules and by what people decided, and list what to review
    Select(SelectArgs),
    /// Give a selection of what was archived to others: as WARC or WACZ, as tables, or as a graph of links
    Export(Box<ExportArgs>),
    /// Find out who and what an archive is about, by whom, how and when
    Study(StudyArgs),
    /// Compare several crawls: names that changed, words that belong together, what is new
    Across(AcrossArgs),
    /// Make graph and search index again, out of the WARC files alone
    Rebuild(RebuildArgs),
    /// Send what is known of a collection to the remote store that its spec names
    Push(PushArgs),
    /// Ask what is known of one or several collections, or RDF files, in SPARQL
    Query(Box<QueryArgs>),
    /// Add statements of others, in RDF, to what is known of a collection
    Import(ImportArgs),
    /// Compare ways to choose the next link, by repeatable crawls of an archive
    Simulate(SimulateArgs),
    /// Crawl a small web made for trying, on this machine only, by topic and breadth first, and compare
    Demo(DemoArgs),
}

#[derive(Debug, Default, Args)]
#[command(
    after_help = "The spec says what the collection is about: [topic] with references and keywords, [event] with from, until, lead and cooldown,
and where to begin: [[seed]], or references that are in the archive. Links are followed anywhere in it.

Examples:
  annalist extract election.toml --archive /warcs/2002 /warcs/2005 --limit 10000
  annalist extract election.toml --archive big.cdxj --snapshot all --job /archive/election
  annalist extract election.toml --archive https://archive.example/cdx
  annalist extract --job /archive/election        resume with the spec and archives kept there

What belongs there and is not in the archive is in JOB/missing.txt, the most relevant first:
  annalist crawl --seeds JOB/missing.txt --scope page --contact https://you.example/

Exit codes: 0 done, 3 disk full, 4 bad configuration, 9 failed, 11 interrupted, 14 size limit, 15 time limit."
)]
pub struct ExtractArgs {
    /// The spec, a TOML file
    #[arg(value_name = "SPEC")]
    pub spec: Option<PathBuf>,
    /// A WARC or ARC file, a folder of them, an index, or the address of a CDX server; several may be given
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub archive: Vec<String>,
    /// Where the WARC files are that an index names, when they are not near it: a folder, or for a CDX server an address
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub warcs: Vec<String>,
    /// Where the collection is kept [default: collections/NAME]
    #[arg(long, value_name = "DIR")]
    pub job: Option<PathBuf>,
    /// Which snapshot of a page: event (the earliest within the event, else the nearest), newest, oldest or all
    #[arg(long, value_name = "CHOICE")]
    pub snapshot: Option<String>,
    /// Stop after this many captures, pages and what they embed alike
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// Stop when this much was taken, such as 50GB
    #[arg(long, value_name = "SIZE")]
    pub size_limit: Option<String>,
    /// Stop after this long, such as 12h
    #[arg(long, value_name = "TIME")]
    pub time_limit: Option<String>,
    /// A non-public network in which a CDX server may be asked, such as 127.0.0.0/8
    #[arg(long, value_name = "NETWORK")]
    pub allow: Vec<String>,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
    /// No progress, no report
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:
  annalist crawl my.toml                          into collections/NAME, the name in the spec
  annalist crawl my.toml --job /archive/my --time-limit 12h
  annalist crawl --job /archive/my                resume with the spec kept there
  annalist crawl --url http://127.0.0.1:8080/ --allow 127.0.0.0/8 --min-delay 0s

Crawls on one machine keep each other's politeness by files in ~/.local/state/annalist/servers; ANNALIST_BOOK=DIR
names another folder, an empty one none.

Exit codes: 0 done, 3 disk full, 4 bad configuration, 9 failed, 11 interrupted, 14 size limit, 15 time limit.")]
pub struct CrawlArgs {
    /// The spec, a TOML file
    #[arg(value_name = "SPEC", conflicts_with = "config")]
    pub spec: Option<PathBuf>,
    /// The spec, for those used to this name
    #[arg(long, value_name = "SPEC")]
    pub config: Option<PathBuf>,
    /// Where the crawl is kept [default: collections/NAME]
    #[arg(long, value_name = "DIR")]
    pub job: Option<PathBuf>,
    /// A seed, in place of the spec's; may be given several times
    #[arg(long, value_name = "URL")]
    pub url: Vec<String>,
    /// A file of seeds, one URL a line, in place of the spec's
    #[arg(long, value_name = "FILE")]
    pub seeds: Vec<PathBuf>,
    /// How far the seeds reach: page, prefix, host, domain, any or custom
    #[arg(long, value_name = "KIND")]
    pub scope: Option<String>,
    /// Stop after this many captures, pages and what they embed alike
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// Clicks from a seed at most
    #[arg(long, value_name = "N")]
    pub depth: Option<u16>,
    /// Stop when this much was received, such as 50GB
    #[arg(long, value_name = "SIZE")]
    pub size_limit: Option<String>,
    /// Stop after this long, such as 12h
    #[arg(long, value_name = "TIME")]
    pub time_limit: Option<String>,
    /// A non-public network that may be asked all the same, such as 127.0.0.0/8
    #[arg(long, value_name = "NETWORK")]
    pub allow: Vec<String>,
    /// An address of its own for a name: NAME=IP:PORT
    #[arg(long, value_name = "NAME=ADDRESS")]
    pub resolve: Vec<String>,
    /// Shortest rest of a server, such as 2s
    #[arg(long, value_name = "TIME")]
    pub min_delay: Option<String>,
    /// Longest rest of a server
    #[arg(long, value_name = "TIME")]
    pub max_delay: Option<String>,
    /// obey, robots-only or ignore
    #[arg(long, value_name = "POLICY")]
    pub robots: Option<String>,
    /// Where a webmaster finds out who crawls; part of the user agent
    #[arg(long, value_name = "URL")]
    pub contact: Option<String>,
    /// The whole user agent
    #[arg(long, value_name = "TEXT")]
    pub user_agent: Option<String>,
    /// Check the spec and show what would be done; ask nobody
    #[arg(long)]
    pub dry_run: bool,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
    /// No progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct StatusArgs {
    /// The job directory
    pub dir: PathBuf,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct JobArgs {
    /// The job directory
    pub dir: PathBuf,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The job directory
    pub dir: PathBuf,
    /// The URL in question
    pub url: String,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The spec, a TOML file
    #[arg(required_unless_present = "keys")]
    pub spec: Option<PathBuf>,
    /// List every key a spec may have, with its default and meaning
    #[arg(long)]
    pub keys: bool,
    /// Only say whether it is good
    #[arg(long, short)]
    pub quiet: bool,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  annalist learn my.toml           fetches the references, writes collections/NAME/definition.toml

Fetched are the references of [topic], or the seeds where there are none, and some pages they link to, which say what is
usual. The reference crawl is kept: learning again from the same pages asks nobody.")]
pub struct LearnArgs {
    /// The spec, a TOML file
    pub spec: PathBuf,
    /// Where to write what was learned [default: collections/NAME/definition.toml]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Where the reference crawl is kept [default: collections/NAME-reference]
    #[arg(long, value_name = "DIR")]
    pub job: Option<PathBuf>,
    /// How many pages are fetched, references and others
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  annalist judge my.toml page.html
  annalist judge my.toml https://www.example.org/about --json
  annalist judge --sample collections/first       pages for people to judge, in collections/first/evaluation
  annalist judge --evaluate votes --out curves    does the relevance of pages to events agree with people?

--evaluate reads topics.tsv (Code, Description) and annotations/*.csv (campaign, contentRelevance, timeRelevance, vote) of a
folder; see docs/evaluation.md.")]
pub struct JudgeArgs {
    /// The spec, a TOML file
    #[arg(required_unless_present_any = ["evaluate", "sample"])]
    pub spec: Option<PathBuf>,
    /// A file with a page, HTML or text, or the address of one
    #[arg(value_name = "FILE|URL", required_unless_present_any = ["evaluate", "sample"])]
    pub page: Option<String>,
    /// Compare the ways to judge pages of events with what people said of them
    #[arg(long, value_name = "DIR", conflicts_with_all = ["spec", "page", "definition"])]
    pub evaluate: Option<PathBuf>,
    /// Write break-even.csv, curves.csv and curves-*.svg of --evaluate there
    #[arg(long, value_name = "DIR", requires = "evaluate")]
    pub out: Option<PathBuf>,
    /// Draw pages of a job for people to judge: as many of each tenth of relevance
    #[arg(long, value_name = "JOB", conflicts_with_all = ["spec", "page", "definition", "evaluate"])]
    pub sample: Option<PathBuf>,
    /// How many pages are drawn
    #[arg(long, value_name = "N", default_value_t = 50, requires = "sample", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub pages: u32,
    /// What was learned [default: collections/NAME/definition.toml, or the keywords and local references of the spec]
    #[arg(long, value_name = "FILE")]
    pub definition: Option<PathBuf>,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  annalist apps list                             what the catalogue knows
  annalist apps extract thread.html --url http://forum.example/viewtopic.php?t=3 --json
  annalist apps extract https://blog.example/2011/03/a-post/ --contact https://library.example/crawler
  annalist apps objects collections/first        what was written on the pages of a crawl, by threads
  annalist apps learned collections/first        which rules were repaired
  annalist apps check mycatalogue                are the descriptions right, do their examples come out as expected?

How applications are described is in docs/catalogue.md.")]
pub struct AppsArgs {
    #[command(subcommand)]
    pub command: AppsCommand,
}

#[derive(Debug, Subcommand)]
pub enum AppsCommand {
    /// The applications in the catalogue
    List(CatalogueArgs),
    /// Say which application a page belongs to, and which level of it
    Detect(AppsPageArgs),
    /// Lift posts, comments and articles out of a page, and say which of its links are followed
    Extract(AppsPageArgs),
    /// What was written on the pages of a crawl: threads joined over their pages, each post and comment once
    Objects(AppsObjectsArgs),
    /// What a crawl has learned where templates were not the described ones, to be read and accepted
    Learned(AppsLearnedArgs),
    /// Check descriptions, and that their example pages come out as expected
    Check(AppsCheckArgs),
}

#[derive(Debug, Args)]
pub struct CatalogueArgs {
    /// A folder of descriptions beside those the program brings along; may be given several times
    #[arg(long, value_name = "DIR")]
    pub catalogue: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub struct AppsPageArgs {
    /// A file with a page, or the address of one
    #[arg(value_name = "FILE|URL")]
    pub page: String,
    /// The address that a file's page has on the web
    #[arg(long, value_name = "ADDRESS")]
    pub url: Option<String>,
    /// A file with the status line and header fields that came with a file's page
    #[arg(long, value_name = "FILE")]
    pub headers: Option<PathBuf>,
    /// What `extract --json` printed for the page before: what changed in its template is learned
    #[arg(long, value_name = "FILE")]
    pub before: Option<PathBuf>,
    #[command(flatten)]
    pub catalogue: CatalogueArgs,
    /// Where a webmaster finds out who asks; needed for pages of the live web
    #[arg(long, value_name = "URL")]
    pub contact: Option<String>,
    /// A non-public network that may be asked all the same, such as 127.0.0.0/8
    #[arg(long, value_name = "NETWORK")]
    pub allow: Vec<String>,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  annalist date saved/*.html
  annalist date page.html --url https://www.example.org/2014/05/17/story --captured 2014-06-01
  annalist date https://www.example.org/story --contact https://library.example/crawler --json")]
pub struct DateArgs {
    /// Files with HTML pages, or addresses
    #[arg(value_name = "FILE|URL", required = true)]
    pub pages: Vec<String>,
    /// The address that the page of a file has on the web
    #[arg(long, value_name = "ADDRESS")]
    pub url: Option<String>,
    /// The day on which the pages of files were captured: nothing on them was published later
    #[arg(long, value_name = "DAY")]
    pub captured: Option<String>,
    /// Where a webmaster finds out who asks; needed for pages of the live web
    #[arg(long, value_name = "URL")]
    pub contact: Option<String>,
    /// A non-public network that may be asked all the same, such as 127.0.0.0/8
    #[arg(long, value_name = "NETWORK")]
    pub allow: Vec<String>,
    /// One JSON object a line for each page
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct AppsObjectsArgs {
    /// The job directory
    pub dir: PathBuf,
    /// One JSON object a line for each post, comment or article, by threads
    #[arg(long)]
    pub jsonl: bool,
    /// One JSON object with the counts as the last line of standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct AppsLearnedArgs {
    /// The job directory
    pub dir: PathBuf,
    /// Copy what was learned into this folder of descriptions, for other crawls
    #[arg(long, value_name = "FOLDER")]
    pub accept: Option<PathBuf>,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct AppsCheckArgs {
    /// A folder of descriptions [default: catalogue]
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Write what comes out of the example pages into expected/
    #[arg(long)]
    pub update: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  annalist index collections/first > all.cdxj
  annalist index /archive/2010 /archive/2011 --output all.cdxj
  annalist index /archive --zipnum /archive/index     for more captures than one file should hold
  annalist index /archive --beside                    NAME.cdxj beside each NAME.warc.gz
  annalist index --frequencies first.tsv collections/first

The last counts the HTML and plain text pages that were answered with success, each text once, and writes for each
language how many of them have a term: a stem, or two of words side by side. Stop words are left out. It says which
terms stand out from what is usual in the language, or from what --background says is usual.")]
pub struct IndexArgs {
    /// WARC files, folders of them with all that is under them, or job directories
    #[arg(required = true, value_name = "ARCHIVE")]
    pub paths: Vec<PathBuf>,
    /// Write one index of everything there [default: standard output]
    #[arg(long, short, value_name = "FILE", group = "kind")]
    pub output: Option<PathBuf>,
    /// Write one index of everything as ZipNum into this folder: gzip blocks of 3,000 lines, and a summary
    #[arg(long, value_name = "DIR", group = "kind")]
    pub zipnum: Option<PathBuf>,
    /// Write an index of each file beside it, or into the folder `indexes` beside its own if there is one
    #[arg(long, group = "kind")]
    pub beside: bool,
    /// How many files are read at once [default: one for each core]
    #[arg(long, value_name = "N", conflicts_with = "frequencies", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Count documents in place of an index, and write language, term and documents there
    #[arg(long, value_name = "OUT.tsv", group = "kind")]
    pub frequencies: Option<PathBuf>,
    /// Leave out terms in fewer documents than this
    #[arg(long, value_name = "N", default_value_t = 2, requires = "frequencies", value_parser = clap::value_parser!(u32).range(1..))]
    pub min: u32,
    /// Frequencies of another archive, made by this command, to stand out from
    #[arg(long, value_name = "FILE.tsv", requires = "frequencies")]
    pub background: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  annalist verify collections/first
Exit code 0 when all files are valid, 9 when one is not.")]
pub struct VerifyArgs {
    /// WARC or WACZ files, folders of WARC files, or job directories
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Default, Args)]
#[command(
    group = clap::ArgGroup::new("form").args(["warc", "wacz", "csv", "parquet", "graph", "nquads"]).required(true).multiple(true),
    after_help = "Examples:
  annalist export collections/first --wacz first.wacz               everything, for ReplayWeb.page
  annalist export collections/first --wacz best.wacz --score 0.6 --limit 500
  annalist export old.warc.gz new.wacz --warc greek --query 'host.endsWith(\".gr\")' --from 2009-10 --until 2012-06-30
  annalist export collections/first --csv tables --graph links.graphml

A capture is selected when all conditions hold; those that may be given several times hold when one of them does. With
it come its request and metadata, what its page shows (where the archive tells), and what a revisit refers to. Records
are copied byte for byte. --query speaks the language of scope expressions: url, host, site, path, query, depth, hops,
via, mime, language, score. More is in docs/export.md.

Exit codes: 0 done, 3 disk full, 4 what was asked for cannot be done, 9 failed or a source is damaged (what is intact
is written), 11 interrupted: nothing was written."
)]
pub struct ExportArgs {
    /// Job directories, WARC or ARC files, folders of them, or WACZ files
    #[arg(required = true, value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    /// Write WARC files and their indexes into this folder, as pywb serves it
    #[arg(long, value_name = "DIR")]
    pub warc: Option<PathBuf>,
    /// Write everything into one WACZ file
    #[arg(long, value_name = "FILE")]
    pub wacz: Option<PathBuf>,
    /// Write urls.csv, and missing.csv for a job, into this folder; a name ending in .csv is that of the first
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
    /// Write urls.parquet, links.parquet and objects.parquet, typed, into this folder
    #[arg(long, value_name = "DIR")]
    pub parquet: Option<PathBuf>,
    /// Write who links to whom: GraphML, or a table if the name ends in .csv
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
    /// Write all that is known of the job directories as N-Quads, sorted, to this file, or to standard output (-);
    /// conditions do not bear on it
    #[arg(long, value_name = "FILE")]
    pub nquads: Option<PathBuf>,
    /// Captures of at least this score, from 0 to 1
    #[arg(long, value_name = "MIN")]
    pub score: Option<f32>,
    /// Captured at this date or later, such as 2011, 2011-03-05 or 2011-03-05T10:30:00Z
    #[arg(long, value_name = "DATE")]
    pub from: Option<String>,
    /// Captured at this date or earlier; of a day, all of it
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
    /// --from and --until are about when a page was published; pages whose date is unknown are left out
    #[arg(long)]
    pub published: bool,
    /// Of this site, such as example.org, with all its hosts; may be given several times
    #[arg(long, value_name = "SITE")]
    pub site: Vec<String>,
    /// Of this host; may be given several times
    #[arg(long, value_name = "HOST")]
    pub host: Vec<String>,
    /// Whose URL begins like this; may be given several times
    #[arg(long, value_name = "URL")]
    pub url_prefix: Vec<String>,
    /// Of this media type, such as text/html or image/*; may be given several times
    #[arg(long, value_name = "TYPE")]
    pub mime: Vec<String>,
    /// Answered with this status, such as 200, 2xx or 200-299; may be given several times
    #[arg(long, value_name = "STATUS")]
    pub status: Vec<String>,
    /// For which this expression holds
    #[arg(long, value_name = "EXPRESSION")]
    pub query: Option<String>,
    /// Pages that `annalist select` proposes to keep; sources have to be job directories
    #[arg(long)]
    pub selected: bool,
    /// The N best of them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// What the collection is called [default: the name of the file]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Replace what is there
    #[arg(long)]
    pub force: bool,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
    /// No progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  annalist simulate --archive pages.warc.gz --topics topics.tsv --topic Science/Biology --topic History --repeat 5
  annalist simulate --archive first.warc.gz second.warc.gz --topics topics.tsv --topic Music --policy bfs avg avg+batch avg+bl5 avg+batch+bl5 --out curves
  annalist simulate --archive collections/first/archive --seed-urls seeds.txt --policy bfs avg
  annalist simulate --archive archives --spec election.toml --pages 2000 --out curves

Policies: default (the judge of a crawl with a topic, which is the seeds here); bfs (breadth first); first, last, max, sum, avg (best first by likeness to the seeds, with what becomes of the
values that one link receives); oracle (knows which waiting links are relevant). Behind any of them: +batch schedules
links after every 50 pages, +bl5 fetches 5 links of a site in a row.

With --spec, what is looked for is the [event] of a spec, in the captures that show it best. Policies are then default, mean, content,
time (by what content and time make of the page that a link is on), bfs and oracle; crawls with fixed half-lives and without
keywords tell what these add.

Exit codes: 0 done, 4 what was asked for cannot be done, 9 failed.")]
pub struct SimulateArgs {
    /// WARC files, or folders of them: the web that is crawled
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    pub archive: Vec<PathBuf>,
    /// Which page has which topic: lines of a URL, a tab and a path such as Science/Biology. Without it, what is similar to the seeds is relevant
    #[arg(long, value_name = "TSV", requires = "topic")]
    pub topics: Option<PathBuf>,
    /// A topic to look for, with everything under its path
    #[arg(long, num_args = 1.., value_name = "PATH", requires = "topics")]
    pub topic: Vec<String>,
    /// The spec of an event to look for; --topics and --topic then say which pages belong to it
    #[arg(long, value_name = "SPEC", conflicts_with_all = ["repeat", "seeds", "seed_urls"])]
    pub spec: Option<PathBuf>,
    /// A policy to compare [default: all of them, without +batch and +bl5]
    #[arg(long, num_args = 1.., value_name = "NAME")]
    pub policy: Vec<String>,
    /// Pages that each crawl begins with, drawn from those of the topic
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub seeds: u32,
    /// The pages that each crawl begins with, one URL a line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["repeat", "seeds"])]
    pub seed_urls: Option<PathBuf>,
    /// Pages that each crawl fetches, seeds included
    #[arg(long, value_name = "M", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    pub pages: u32,
    /// Crawls of each topic with each policy, each time with other seeds
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Weigh terms by these frequencies, made by index --frequencies, in place of the program's own
    #[arg(long, value_name = "FILE.tsv")]
    pub frequencies: Option<PathBuf>,
    /// Crawls at a time [default: one for each core]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Write curves.svg, curves.csv and rows.csv there
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Where the topical crawl is kept, the other beside it; an earlier demo there is replaced
    #[arg(long, value_name = "DIR", default_value = "collections/demo")]
    pub job: PathBuf,
    /// How many pages the web for trying has
    #[arg(long, value_name = "N", default_value_t = 6000)]
    pub pages: usize,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
}
