//! What CDX servers answer, each in its own way: lines of CDXJ or CDX, an object a line, or a table in JSON whose first
//! row names the columns.

use std::collections::HashMap;
use std::io::{self, BufRead};

use annalist_warc::{CdxLine, surt_key};
use serde_json::Value;

/// A capture that a server knows of. Some do not tell where its record is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answered {
    pub(super) line: CdxLine,
    pub(super) has_place: bool,
}

/// Reads an answer. Lines that are none are passed over, unless there is nothing else: then somebody else has answered.
pub(super) fn read(mut input: impl BufRead) -> io::Result<Vec<Answered>> {
    if input.fill_buf()?.first() == Some(&b'[') {
        return Ok(table(&serde_json::from_reader(input)?));
    }
    let (mut found, mut line, mut strange) = (Vec::new(), Vec::new(), false);
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            if strange && found.is_empty() {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "this is no answer of a CDX server"));
            }
            return Ok(found);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        match of_line(line) {
            Some(answered) => found.push(answered),
            // The first line of a CDX file names its columns.
            None => strange |= !line.is_empty() && !line.starts_with(" CDX "),
        }
    }
}

fn of_line(line: &str) -> Option<Answered> {
    if line.starts_with('{') {
        let object: Value = serde_json::from_str(line).ok()?;
        return of_fields(&|name| text(object.get(name)?));
    }
    if let Some(line) = CdxLine::parse(line) {
        return Some(Answered { line, has_place: true });
    }
    // CDXJ without a place, and the seven columns of public servers.
    if let Some((start, json)) = line.split_once(" {") {
        let timestamp = start.split(' ').nth(1)?.to_owned();
        let object: Value = serde_json::from_str(&format!("{{{json}")).ok()?;
        return of_fields(&|name| match name {
            "timestamp" => Some(timestamp.clone()),
            name => text(object.get(name)?),
        });
    }
    let columns: Vec<&str> = line.split(' ').collect();
    let names = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"];
    (columns.len() == names.len()).then_some(())?;
    of_fields(&|name| {
        let place = names.iter().position(|known| *known == name)?;
        columns.get(place).map(|column| (*column).to_owned())
    })
}

fn table(value: &Value) -> Vec<Answered> {
    let mut rows = value.as_array().into_iter().flatten();
    let mut found = Vec::new();
    let mut names: HashMap<&str, usize> = HashMap::new();
    for row in &mut rows {
        match row {
            Value::Array(cells) if names.is_empty() => {
                names =
                    cells.iter().enumerate().filter_map(|(at, name)| Some((name.as_str()?, at))).collect();
            }
            Value::Array(cells) => found.extend(of_fields(&|name| text(cells.get(*names.get(name)?)?))),
            object => found.extend(of_fields(&|name| text(object.get(name)?))),
        }
    }
    found
}

fn of_fields(field: &dyn Fn(&str) -> Option<String>) -> Option<Answered> {
    let get = |names: &[&str]| names.iter().find_map(|name| field(name)).filter(|text| text != "-");
    let number = |names: &[&str]| get(names).and_then(|text| text.parse().ok());
    let url = get(&["url", "original"])?;
    let timestamp = get(&["timestamp", "capture"]).filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?;
    let (offset, filename) = (number(&["offset", "compressedoffset"]), get(&["filename", "file"]));
    let digest = get(&["digest"]);
    let line = CdxLine {
        key: surt_key(&url),
        timestamp,
        mime: get(&["mime", "mimetype"]).unwrap_or_else(|| "unk".to_owned()),
        status: get(&["status", "statuscode"]),
        digest: digest.map(|digest| digest.strip_prefix("sha1:").unwrap_or(&digest).to_owned()),
        length: number(&["length"]).unwrap_or(0),
        offset: offset.unwrap_or(0),
        filename: filename.clone().unwrap_or_default(),
        url,
    };
    Some(Answered { line, has_place: offset.is_some() && filename.is_some() })
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_page_for_people_is_no_answer_and_an_empty_one_says_that_there_is_nothing() {
        for nonsense in ["<html><body>Please log in</body></html>", "{\"error\": 1", "[[", "no captures here"]
        {
            assert!(read(nonsense.as_bytes()).is_err(), "{nonsense}");
        }
        for nothing in ["", "\n", "[]", " CDX N b a m s k r M S V g\n"] {
            assert_eq!(read(nothing.as_bytes()).unwrap(), [], "{nothing}");
        }
    }

    #[test]
    fn answers_of_every_form_say_the_same() {
        let cdxj = r#"test,a)/ 20100101000000 {"url": "http://a.test/", "mime": "text/html", "status": "200", "digest": "ABC", "length": "5", "offset": "7", "filename": "f.warc.gz"}"#;
        let lines = r#"{"urlkey": "test,a)/", "timestamp": "20100101000000", "url": "http://a.test/", "mime": "text/html", "status": "200", "digest": "sha1:ABC", "length": "5", "offset": 7, "filename": "f.warc.gz"}"#;
        let columns = "test,a)/ 20100101000000 http://a.test/ text/html 200 ABC - - 5 7 f.warc.gz";
        let table = r#"[["urlkey","timestamp","original","mimetype","statuscode","digest","redirecturl","robotflags","length","offset","filename"],
            ["test,a)/","20100101000000","http://a.test/","text/html","200","ABC","-","-","5","7","f.warc.gz"]]"#;
        let objects = format!("[{lines}]");
        let expected = read(cdxj.as_bytes()).unwrap();
        assert!(expected[0].has_place && expected[0].line.offset == 7);
        for answer in [lines, columns, table, &objects] {
            assert_eq!(read(answer.as_bytes()).unwrap(), expected, "{answer}");
        }
    }

    #[test]
    fn what_a_server_does_not_tell_is_not_made_up() {
        let columns = "test,a)/ 20100101000000 http://a.test/ text/html 200 ABC 5";
        let cdxj = r#"test,a)/ 20100101000000 {"url": "http://a.test/", "mime": "text/html", "status": "200", "digest": "ABC", "length": "5"}"#;
        let table = r#"[["urlkey","timestamp","original","mimetype","statuscode","digest","length"],
            ["test,a)/","20100101000000","http://a.test/","text/html","200","ABC","5"]]"#;
        for answer in [columns, cdxj, table] {
            let found = read(answer.as_bytes()).unwrap();
            assert_eq!((found.len(), found[0].has_place), (1, false), "{answer}");
            assert_eq!(found[0].line.status.as_deref(), Some("200"));
        }
        let among = format!("\n<html>\nnonsense 1 2\n{{\n{columns}\n");
        assert_eq!(read(among.as_bytes()).unwrap().len(), 1, "what is no line is passed over");
        assert_eq!(read("[]".as_bytes()).unwrap(), []);
        assert!(read("[1".as_bytes()).is_err());
    }
}
