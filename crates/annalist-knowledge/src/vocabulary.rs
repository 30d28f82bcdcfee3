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
pub const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
pub const OA: &str = "http://www.w3.org/ns/oa#";
pub const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// Prefixes that a query need not declare.
pub const PREFIXES: [(&str, &str); 12] = [
    ("ann", ANNALIST),
    ("schema", SCHEMA),
    ("sioc", SIOC),
    ("prov", PROV),
    ("dcterms", DCTERMS),
    ("foaf", FOAF),
    ("time", TIME),
    ("skos", SKOS),
    ("oa", OA),
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
    ADDRESS = "urn:annalist:address";
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

    SCHEMA_PERSON = "https://schema.org/Person";
    PLACE = "https://schema.org/Place";
    ORGANISATION = "https://schema.org/Organization";
    THING = "https://schema.org/Thing";
    EVENT = "https://schema.org/Event";
    CONCEPT = "http://www.w3.org/2004/02/skos/core#Concept";
    TOGETHER = "urn:annalist:Together";
    TIE = "urn:annalist:Tie";
    ANNOTATION = "http://www.w3.org/ns/oa#Annotation";
    TARGET = "http://www.w3.org/ns/oa#hasTarget";
    BODY = "http://www.w3.org/ns/oa#hasBody";
    DERIVED = "http://www.w3.org/ns/prov#wasDerivedFrom";
    MENTIONS = "https://schema.org/mentions";
    ABOUT = "https://schema.org/about";
    ALTERNATE_NAME = "https://schema.org/alternateName";
    PREF_LABEL = "http://www.w3.org/2004/02/skos/core#prefLabel";
    CONFIDENCE = "urn:annalist:confidence";
    FOUND_BY = "urn:annalist:foundBy";
    COUNT = "urn:annalist:count";
    WRITINGS = "urn:annalist:writings";
    SENTIMENT = "urn:annalist:sentiment";
    SENTIMENT_CONFIDENCE = "urn:annalist:sentimentConfidence";
    ONE = "urn:annalist:one";
    START = "https://schema.org/startDate";
    END = "https://schema.org/endDate";
    LOCATION = "https://schema.org/location";
    INVOLVES = "urn:annalist:involves";
    HAS_TIME = "http://www.w3.org/2006/time#hasTime";
    INTERVAL = "http://www.w3.org/2006/time#ProperInterval";
    BEGINNING = "http://www.w3.org/2006/time#hasBeginning";
    ENDING = "http://www.w3.org/2006/time#hasEnd";
    IN_DATE = "http://www.w3.org/2006/time#inXSDDate";
    INFLUENCE = "urn:annalist:influence";
    REPLIED = "urn:annalist:repliedTo";
    QUOTED = "urn:annalist:quoted";
    CITED = "urn:annalist:cited";
    NAMED = "urn:annalist:named";
    FROM = "urn:annalist:from";
    TO = "urn:annalist:to";
    KIND = "urn:annalist:kind";
    WIDTH = "https://schema.org/width";
    HEIGHT = "https://schema.org/height";
    ENCODING = "https://schema.org/encodingFormat";
    PERCEPTUAL_HASH = "urn:annalist:perceptualHash";
    LOOKS_LIKE = "urn:annalist:looksLike";
    CONDITION = "urn:annalist:condition";
    ANIMATED = "urn:annalist:animated";
    SITE_CLASS = "urn:annalist:Site";
    CITES = "urn:annalist:cites";
    CITATIONS = "urn:annalist:citations";
    CITING_SITES = "urn:annalist:citingSites";
}
