//! Statements about what was captured, and SPARQL over them.
