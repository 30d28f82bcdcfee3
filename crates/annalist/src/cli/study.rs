//! What `annalist study` can be told.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  annalist study collections/first
  annalist study collections/first --only entities,opinions
  annalist study collections/first --quiet --json > found.json
  annalist study collections/first --model models/bert-base-NER

What it finds can be asked for afterwards: as facets of `annalist search`, in SPARQL with `annalist query`
(docs/vocabulary.md says how), and as tables in DIR/study. Each stage is kept when it is done: an interrupted study goes on
behind it, and one of an archive that has not grown only tells again. docs/study.md says how everything is found.")]
pub struct StudyArgs {
    /// The job directory
    pub dir: PathBuf,
    /// Only these: entities, opinions, topics, events, social, images; those that they need come along
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub only: Vec<String>,
    /// A folder with an ONNX model that marks names, asked in this and later studies; `none` for no model
    #[arg(long, value_name = "DIR")]
    pub model: Option<PathBuf>,
    /// How many of each are shown
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub limit: usize,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
    /// No progress, no report
    #[arg(long, short)]
    pub quiet: bool,
}
