//! How often the sign of an opinion agrees with people: `sentiment LANGUAGE FILE...`. A line of a file is a number, the mean
//! of what people felt, a tab and a text; more columns may stand before the number.

#![allow(clippy::print_stdout, reason = "a measurement, read by whoever started it")]

use std::error::Error;

use annalist_study::offline::entities::Entities;
use annalist_study::offline::opinions::opinions;
use annalist_study::offline::{Corpus, Writing};

/// People who feel less feel nothing.
const FELT: f64 = 0.5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let language = arguments.next().ok_or("sentiment LANGUAGE FILE...")?;
    for file in arguments {
        let lines = String::from_utf8_lossy(&std::fs::read(&file)?).into_owned();
        let judged: Vec<(f64, &str)> = lines
            .lines()
            .filter_map(|line| {
                let (rest, text) = line.trim_end().rsplit_once('\t')?;
                Some((rest.rsplit('\t').next()?.parse().ok()?, text))
            })
            .collect();
        let writings = judged.iter().map(|(_, text)| Writing {
            text: (*text).to_owned(),
            language: Some(language.clone()),
            ..Writing::default()
        });
        let path = std::env::temp_dir().join(format!("sentiment-{}", std::process::id()));
        let found = opinions(&Corpus::write(&path, writings)?, &Entities::default(), &())?;
        std::fs::remove_file(&path)?;
        let mut values = vec![0.0; judged.len()];
        for (writing, opinion) in found.writings {
            if let Some(value) = values.get_mut(writing as usize) {
                *value = f64::from(opinion.value);
            }
        }
        let clear = judged.iter().zip(&values).filter(|((felt, _), _)| felt.abs() >= FELT);
        let (mut right, mut wrong, mut silent) = (0, 0, 0);
        for ((felt, _), value) in clear {
            match felt * value {
                agree if agree > 0.0 => right += 1,
                0.0 => silent += 1,
                _ => wrong += 1,
            }
        }
        let all = f64::from(right + wrong + silent).max(1.0);
        println!(
            "{file}: {all} clear ones, right {:.3}, wrong {:.3}, silent {:.3}",
            f64::from(right) / all,
            f64::from(wrong) / all,
            f64::from(silent) / all
        );
    }
    Ok(())
}
