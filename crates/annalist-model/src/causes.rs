//! An error with what caused it, in one line. Some errors tell their cause themselves and name it as well: it is told once.

use std::error::Error;

/// `graph/000001: no space left on device`
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let told = error.to_string();
        if !text.ends_with(&told) {
            text.push_str(": ");
            text.push_str(&told);
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::fmt;

    use super::with_causes;

    #[derive(Debug)]
    struct Fault(&'static str, Option<Box<Fault>>);

    impl fmt::Display for Fault {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Fault {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_deref().map(|cause| cause as &(dyn Error + 'static))
        }
    }

    #[test]
    fn every_cause_is_told_once() {
        let full = || Some(Box::new(Fault("the disk is full", None)));
        assert_eq!(with_causes(&Fault("graph", full())), "graph: the disk is full");
        let twice = Fault("graph: the disk is full", full());
        assert_eq!(with_causes(&twice), "graph: the disk is full");
        assert_eq!(with_causes(&Fault("import", Some(Box::new(twice)))), "import: graph: the disk is full");
    }
}
