//! The words in which the graph speaks: those of others, and our own where none fits. What they mean is in `docs/vocabulary.md`.

/// Ours.
pub const ANNALIST: &str = "urn:annalist:";
pub const SCHEMA: &str = "https://schema.org/";
pub const SIOC: &str = "http://rdfs.org/sioc/ns#";
pub const PROV: &str = "http://www.w3.org/ns/prov#";
pub const DCTERMS: &str = "http://purl.org/dc/terms/";
pub const FOAF: &str = "http://xmlns.com/foaf/0.1/";
pub const TIME: &str = "http://www.w3.org/2006/time#";
pub const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
pub const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
pub const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// Prefixes that a query need not declare.
pub const PREFIXES: [(&str, &str); 10] = [
    ("ann", ANNALIST),
    ("schema", SCHEMA),
    ("sioc", SIOC),
    ("prov", PROV),
    ("dcterms", DCTERMS),
    ("foaf", FOAF),
    ("time", TIME),
    ("rdf", RDF),
    ("rdfs", RDFS),
    ("xsd", XSD),
];

/// Names of properties and classes, each once.
macro_rules! words {
    ($($name:ident = $text:literal;)*) => {
        $(pub const $name: oxrdf::NamedNodeRef<'static> = oxrdf::NamedNodeRef::new_unchecked($text);)*
    };
}

words! {
    TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

    CAPTURE = "urn:annalist:Capture";
    WEB_PAGE = "https://schema.org/WebPage";
    IMAGE = "https://schema.org/ImageObject";
    MEDIA = "https://schema.org/MediaObject";
    ARTICLE = "https://schema.org/Article";
    POST = "http://rdfs.org/sioc/ns#Post";
    COMMENT = "https://schema.org/Comment";
    PERSON = "http://xmlns.com/foaf/0.1/Person";

    GENERATED = "http://www.w3.org/ns/prov#generatedAtTime";
    SPECIALIZATION = "http://www.w3.org/ns/prov#specializationOf";
    ALTERNATE = "http://www.w3.org/ns/prov#alternateOf";
    FILE = "urn:annalist:file";
    OFFSET = "urn:annalist:offset";
    STATUS = "urn:annalist:status";
    DIGEST = "urn:annalist:digest";
    HOPS = "urn:annalist:hops";
    VIA = "urn:annalist:via";
    FORMAT = "http://purl.org/dc/terms/format";
    SIZE = "https://schema.org/contentSize";

    NAME = "https://schema.org/name";
    HEADLINE = "https://schema.org/headline";
    LANGUAGE = "https://schema.org/inLanguage";
    PUBLISHED = "https://schema.org/datePublished";
    MODIFIED = "https://schema.org/dateModified";
    SITE = "urn:annalist:site";
    RELEVANCE = "urn:annalist:relevance";
    APPLICATION = "urn:annalist:application";
    LEVEL = "urn:annalist:level";
    CANONICAL = "urn:annalist:canonical";
    REFERENCES = "http://purl.org/dc/terms/references";
    REDIRECTS = "urn:annalist:redirectsTo";
    EMBEDS = "urn:annalist:embeds";
    ANCHOR = "urn:annalist:anchor";

    AUTHOR = "https://schema.org/author";
    CONTENT = "http://rdfs.org/sioc/ns#content";
    REPLY_OF = "http://rdfs.org/sioc/ns#reply_of";
    CONTAINER = "http://rdfs.org/sioc/ns#has_container";
    PART_OF = "https://schema.org/isPartOf";
    KEYWORDS = "https://schema.org/keywords";
    MEDIA_OF = "https://schema.org/associatedMedia";
    QUOTES = "urn:annalist:quotes";
    URL = "https://schema.org/url";
    FOAF_PAGE = "http://xmlns.com/foaf/0.1/page";
    FOAF_NAME = "http://xmlns.com/foaf/0.1/name";
    RATING = "urn:annalist:rating";
}
