//! A spec as a form, or as the text it is: the same page for a new crawl and for the settings of one. Both ways lead back
//! and forth without script, and what the form does not know stays in the text.

use std::collections::HashMap;
use std::ops::ControlFlow;

use axum::http::StatusCode;
use maud::{Markup, html};
use serde::Deserialize;

use super::forms;
use crate::problem::{FieldError, Problem};
use crate::serve::App;
use crate::spec_form::{self, Difference, Field, Shape, Values};

/// How far a seed's scope reaches.
const SCOPES: [(&str, &str); 6] = [
    ("", "as each of them says; its host where it says nothing"),
    ("page", "only these pages, with what they show"),
    ("prefix", "what is below their folders"),
    ("host", "all of their hosts"),
    ("domain", "all of their sites, with all hosts"),
    ("any", "anywhere, the best links first"),
];

/// How a spec is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Form,
    Toml,
}

impl Manner {
    pub fn named(name: &str) -> Manner {
        if name == "toml" { Manner::Toml } else { Manner::Form }
    }
}

/// What was sent: the text, or the text before and what was typed into the fields.
#[derive(Deserialize)]
pub struct Sent {
    #[serde(default)]
    spec: String,
    /// The text as it was when the form was opened, where it is of a crawl that there is.
    #[serde(default)]
    base: Option<String>,
    /// `form` where fields were sent.
    #[serde(default, rename = "as")]
    manner: String,
    /// What to do with it.
    #[serde(default)]
    pub then: String,
    #[serde(default)]
    pub id: String,
    #[serde(flatten)]
    fields: HashMap<String, String>,
}

/// Before the names of fields in a form.
const PREFIX: &str = "f_";

/// A spec on its way between a person and the service.
#[derive(Clone, Debug)]
pub struct Draft {
    pub text: String,
    /// What its fields hold, where it is TOML.
    values: Values,
    pub manner: Manner,
    pub problem: Option<Problem>,
    /// The crawl whose spec it is, where there is one.
    crawl: Option<String>,
    /// What was changed: what others have changed since then is told by it.
    pub base: Option<String>,
    /// What others have changed meanwhile, where somebody has to look at that.
    meanwhile: Vec<Difference>,
}

impl Draft {
    /// As a form where the text is TOML.
    pub fn new(text: String, manner: Manner) -> Draft {
        let (values, manner) =
            spec_form::read(&text).map_or((Values::new(), Manner::Toml), |values| (values, manner));
        Draft { text, values, manner, problem: None, crawl: None, base: None, meanwhile: Vec::new() }
    }

    /// Its spec is to be changed.
    pub fn of_crawl(self, id: &str) -> Draft {
        Draft { crawl: Some(id.to_owned()), ..self }
    }

    /// As it is kept: what is made of it is compared with this.
    pub fn opened(self) -> Draft {
        Draft { base: Some(self.text.clone()), ..self }
    }

    /// Others changed the same meanwhile: `text` is shown, with what they did, and it is what is changed from now on.
    pub fn disputed(self, text: String, keys: &[&'static str], theirs: &str) -> Draft {
        let (crawl, base) = (self.crawl, self.base.unwrap_or_default());
        let why = match keys {
            [] => {
                "Somebody else has changed these settings since you opened them. Nothing is kept yet: look below at what they changed, take over what you want of it, and press Change again."
            }
            _ => {
                "Somebody else has changed the same settings since you opened them. Nothing is kept yet: look at what is marked, and press Change again to have it your way."
            }
        };
        let mut problem = Problem::conflict(why);
        let meanwhile = spec_form::differences(&base, theirs);
        let told = |one: &Difference| one.now.clone().unwrap_or_else(|| "nothing".to_owned());
        for key in keys {
            let now = meanwhile.iter().find(|one| one.key == *key).map_or_else(String::new, told);
            let detail = format!("somebody else has set this to {now} meanwhile");
            problem.errors.push(FieldError { field: (*key).to_owned(), line: None, detail });
        }
        let problem = Some(problem);
        Draft { crawl, base: Some(theirs.to_owned()), problem, meanwhile, ..Draft::new(text, self.manner) }
    }

    /// With what is wrong with it, where something is.
    pub fn with_mistakes(mut self, app: &App) -> Draft {
        self.problem = Some(examined(app, &self)).filter(|problem| problem.status != 200);
        self
    }

    pub fn of(sent: &Sent) -> Draft {
        let base = sent.base.as_ref().map(|base| base.replace("\r\n", "\n"));
        Draft { base, ..Draft::typed(sent) }
    }

    fn typed(sent: &Sent) -> Draft {
        let text = sent.spec.replace("\r\n", "\n");
        if sent.manner != "form" {
            return Draft::new(text, Manner::Toml);
        }
        let typed = sent
            .fields
            .iter()
            .filter_map(|(name, value)| Some((name.strip_prefix(PREFIX)?.to_owned(), value.clone())));
        match spec_form::fill(&text, &typed.collect::<Values>()) {
            Ok(text) => Draft::new(text, Manner::Form),
            Err(_) => Draft::new(text, Manner::Toml),
        }
    }

    /// What buttons ask that do nothing but look; goes on where something is to be done with the spec.
    pub fn looked_at(mut self, app: &App, then: &str) -> ControlFlow<Draft, Draft> {
        match then {
            "toml" => self.manner = Manner::Toml,
            "form" => {
                self = Draft { crawl: self.crawl, base: self.base, ..Draft::new(self.text, Manner::Form) };
                if self.manner == Manner::Toml {
                    self.problem = Some(examined(app, &self));
                }
            }
            "check" => self.problem = Some(examined(app, &self)),
            _ => return ControlFlow::Continue(self),
        }
        ControlFlow::Break(self)
    }

    fn is_wrong(&self) -> bool {
        self.problem.as_ref().is_some_and(|problem| problem.status != 200)
    }

    /// What stands before the title of a page that shows it.
    pub fn mark(&self) -> &'static str {
        if self.is_wrong() { "Error: " } else { "" }
    }

    pub fn status(&self) -> StatusCode {
        self.problem.as_ref().map_or(StatusCode::OK, Problem::code)
    }
}

fn examined(app: &App, draft: &Draft) -> Problem {
    match app.service.examine(&draft.text, draft.crawl.as_deref()) {
        Ok(examined) if examined.spec.is_some() => {
            Problem::new(StatusCode::OK, "There is nothing wrong with it.")
        }
        Ok(examined) => Problem::mistakes(&examined.mistakes),
        Err(problem) => problem,
    }
}

/// Where script asks what is wrong with what is typed.
fn checked_at(draft: &Draft) -> String {
    draft.crawl.as_ref().map_or_else(|| "/api/check".to_owned(), |id| format!("/api/check?crawl={id}"))
}

/// The inside of a `form` element: token, fields or text, what is wrong, and the buttons given.
pub fn inside(app: &App, draft: &Draft, buttons: &Markup) -> Markup {
    let errors = draft.problem.as_ref().map(|problem| problem.errors.as_slice()).unwrap_or_default();
    let is_form = draft.manner == Manner::Form;
    html! {
        (forms::token(app))
        (summary(draft))
        @if let Some(base) = &draft.base { input type="hidden" name="base" value=(base); }
        // What the enter key presses.
        button name="then" value="check" hidden { "Check" }
        div.switch role="group" aria-label="How the spec is shown" {
            button name="then" value="form" aria-pressed=(is_form) { "Use the form" }
            button name="then" value="toml" aria-pressed=(!is_form) { "Show as TOML" }
        }
        @if is_form {
            input type="hidden" name="as" value="form";
            input type="hidden" name="spec" value=(draft.text);
            (fields(draft, errors))
        } @else {
            label for="spec" { "Spec" }
            textarea #spec name="spec" rows="26" spellcheck="false" autocomplete="off" data-check=(checked_at(draft)) aria-describedby="verdict" { "\n" (draft.text) }
        }
        div #verdict role="status" aria-live="polite" {
            @if let Some(problem) = &draft.problem { (verdict(problem, is_form)) }
            (changed_meanwhile(&draft.meanwhile))
        }
        (buttons)
    }
}

fn changed_meanwhile(differences: &[Difference]) -> Markup {
    let shown =
        |value: &Option<String>| html! { @match value { Some(value) => code { (value) }, None => "–" } };
    html! {
        @if !differences.is_empty() {
            table {
                caption { "What somebody else changed meanwhile" }
                thead { tr { th scope="col" { "Key" } th scope="col" { "When you opened it" } th scope="col" { "Now" } } }
                tbody { @for one in differences { tr { th scope="row" { code { (one.key) } } td.url { (shown(&one.before)) } td.url { (shown(&one.now)) } } } }
            }
        }
    }
}

/// What came of it, above all fields: who sent it begins there, and is led to what is wrong. The verdict stands below, beside
/// the buttons, where it is told what is typed.
fn summary(draft: &Draft) -> Markup {
    let Some(problem) = &draft.problem else { return html! {} };
    if !draft.is_wrong() {
        return html! { p #summary.good tabindex="-1" autofocus { (problem.detail) } };
    }
    let is_form = draft.manner == Manner::Form;
    let of = |field: &'static Field| {
        let errors = problem.errors.iter().filter(|error| is_of(error, field));
        errors.map(move |error| (field, spec_form::in_words(field, &error.detail)))
    };
    let fields = spec_form::GROUPS.iter().flat_map(|group| group.fields).filter(|_| is_form);
    let led: Vec<_> = fields.flat_map(of).collect();
    let others =
        problem.errors.iter().filter(|error| !is_form || spec_form::field_of(&error.field).is_none());
    html! {
        section #summary.danger tabindex="-1" autofocus {
            h2 { @if draft.crawl.is_some() { "These settings cannot be kept yet" } @else { "This crawl cannot be kept yet" } }
            @if !problem.is_of_fields() { p { (problem.detail) } }
            ul.mistakes {
                @for (field, told) in &led { li data-of=(field.name) { a href={ "#field-" (field.name) } { (field.label) } ": " (told) } }
                @for error in others { li { (elsewhere(error)) } }
            }
        }
    }
}

/// A mistake that is in none of the fields of the spec.
fn elsewhere(error: &FieldError) -> Markup {
    html! {
        @if error.field == "id" { a href="#id" { "Name in addresses and on disk" } ": " (error.detail) } @else { (forms::mistake(error)) }
    }
}

fn verdict(problem: &Problem, is_form: bool) -> Markup {
    let is_elsewhere = |error: &&FieldError| {
        !is_form || (error.field != "id" && spec_form::field_of(&error.field).is_none())
    };
    let shown: Vec<&FieldError> = problem.errors.iter().filter(is_elsewhere).collect();
    html! {
        @if is_form && problem.is_of_fields() { p.bad { "Not yet: look at what is marked." } } @else { p class=(if problem.status == 200 { "good" } else { "bad" }) { (problem.detail) } }
        @if !shown.is_empty() {
            @if is_form { p.hint { "In parts that the form does not show; look at the TOML:" } }
            ul.mistakes { @for error in shown { li { (forms::mistake(error)) } } }
        }
    }
}

fn fields(draft: &Draft, errors: &[FieldError]) -> Markup {
    let values = &draft.values;
    html! {
        div.spec-form data-check-fields=(checked_at(draft)) {
            @for group in spec_form::GROUPS {
                @let is_used = group.fields.iter().any(|field| {
                    values.get(field.name).is_some_and(|value| !value.is_empty()) || is_wrong(field, errors)
                });
                @let inside = html! {
                    @for field in group.fields { (one(field, values.get(field.name).map_or("", String::as_str), errors)) }
                };
                @if group.is_folded {
                    details.folded open[is_used] {
                        summary { (group.title) }
                        p.hint { (group.hint) }
                        fieldset.group { legend { (group.title) } (inside) }
                    }
                } @else {
                    fieldset.group { legend { (group.title) } (inside) }
                }
            }
        }
    }
}

fn is_of(error: &FieldError, field: &Field) -> bool {
    spec_form::field_of(&error.field).is_some_and(|at| at.name == field.name)
}

fn is_wrong(field: &Field, errors: &[FieldError]) -> bool {
    errors.iter().any(|error| is_of(error, field))
}

fn one(field: &Field, value: &str, errors: &[FieldError]) -> Markup {
    let (id, name) = (format!("field-{}", field.name), format!("{PREFIX}{}", field.name));
    let of_it = errors.iter().filter(|error| is_of(error, field));
    let wrong: Vec<String> = of_it.map(|error| spec_form::in_words(field, &error.detail)).collect();
    let is_wrong = (!wrong.is_empty()).then_some("true");
    let about = format!("{id}-hint {id}-error");
    let is_wide = matches!(field.shape, Shape::Seeds | Shape::Lines | Shape::Sites | Shape::Scope)
        || field.name == "description";
    html! {
        div.field.wide-field[is_wide] {
            label for=(id) { (field.label) }
            @match field.shape {
                Shape::Seeds | Shape::Lines | Shape::Sites => {
                    textarea id=(id) name=(name) rows=(if field.shape == Shape::Seeds { "5" } else { "3" }) spellcheck="false" placeholder=(field.example) aria-describedby=(about) aria-invalid=[is_wrong] { "\n" (value) }
                }
                Shape::Scope => {
                    select id=(id) name=(name) aria-describedby=(about) aria-invalid=[is_wrong] {
                        @for (word, meaning) in SCOPES { option value=(word) selected[word == value] { (meaning) } }
                        @if SCOPES.iter().all(|(word, _)| *word != value) { option value=(value) selected { (value) } }
                    }
                }
                _ => {
                    input id=(id) name=(name) value=(value) placeholder=(field.example) aria-describedby=(about) aria-invalid=[is_wrong]
                        type="text" inputmode=[inputmode(field.shape)];
                }
            }
            p.hint id={ (id) "-hint" } { (field.hint) }
            p.bad id={ (id) "-error" } data-error=(field.name) role=[is_wrong.map(|_| "alert")] { (wrong.join("; ")) }
        }
    }
}

fn inputmode(shape: Shape) -> Option<&'static str> {
    match shape {
        Shape::Number => Some("numeric"),
        Shape::Decimal => Some("decimal"),
        _ => None,
    }
}

/// A file instead: sent on its own, whole without script.
pub fn upload(app: &App, action: &str) -> Markup {
    html! {
        form.upload method="post" action=(action) enctype="multipart/form-data" {
            (forms::token(app))
            label for="file" { "Or take a TOML file" }
            input #file type="file" name="file" accept=".toml,text/plain" required data-into="spec";
            " " button { "Open" }
        }
    }
}
