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
use crate::spec_form::{self, Field, Shape, Values};

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
    pub manner: Manner,
    pub problem: Option<Problem>,
    /// The crawl whose spec it is, where there is one.
    crawl: Option<String>,
}

impl Draft {
    /// As a form where the text is TOML.
    pub fn new(text: String, manner: Manner) -> Draft {
        let readable = spec_form::read(&text).is_ok();
        Draft { text, manner: if readable { manner } else { Manner::Toml }, problem: None, crawl: None }
    }

    /// Its spec is to be changed.
    pub fn of_crawl(self, id: &str) -> Draft {
        Draft { crawl: Some(id.to_owned()), ..self }
    }

    /// With what is wrong with it, where something is.
    pub fn with_mistakes(mut self, app: &App) -> Draft {
        self.problem = Some(examined(app, &self)).filter(|problem| problem.status != 200);
        self
    }

    pub fn of(sent: &Sent) -> Draft {
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
                self = Draft { crawl: self.crawl, ..Draft::new(self.text, Manner::Form) };
                if self.manner == Manner::Toml {
                    self.problem = Some(examined(app, &self));
                }
            }
            "check" => self.problem = Some(examined(app, &self)),
            _ => return ControlFlow::Continue(self),
        }
        ControlFlow::Break(self)
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
        }
        (buttons)
    }
}

fn verdict(problem: &Problem, is_form: bool) -> Markup {
    let elsewhere = |error: &&FieldError| !is_form || spec_form::field_of(&error.field).is_none();
    let shown: Vec<&FieldError> = problem.errors.iter().filter(elsewhere).collect();
    html! {
        p class=(if problem.status == 200 { "good" } else { "bad" }) { (problem.detail) }
        @if !shown.is_empty() {
            @if is_form { p.hint { "In parts that the form does not show; look at the TOML:" } }
            ul.mistakes { @for error in shown { li { (forms::mistake(error)) } } }
        }
    }
}

fn fields(draft: &Draft, errors: &[FieldError]) -> Markup {
    let values = spec_form::read(&draft.text).unwrap_or_default();
    html! {
        div.spec-form data-check-fields=(checked_at(draft)) {
            @for (title, fields) in spec_form::GROUPS {
                fieldset.group {
                    legend { (title) }
                    @for field in *fields {
                        @let value = values.get(field.name).map_or("", String::as_str);
                        (one(field, value, errors))
                    }
                }
            }
        }
    }
}

fn one(field: &Field, value: &str, errors: &[FieldError]) -> Markup {
    let (id, name) = (format!("field-{}", field.name), format!("{PREFIX}{}", field.name));
    let own = |error: &&FieldError| spec_form::field_of(&error.field).is_some_and(|at| at.name == field.name);
    let wrong: Vec<&str> = errors.iter().filter(own).map(|error| error.detail.as_str()).collect();
    let is_wrong = (!wrong.is_empty()).then_some("true");
    let about = format!("{id}-hint {id}-error");
    let is_wide =
        matches!(field.shape, Shape::Seeds | Shape::Lines | Shape::Sites) || field.name == "description";
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
                        type="text" inputmode=[(field.shape == Shape::Number).then_some("numeric")];
                }
            }
            p.hint id={ (id) "-hint" } { (field.hint) }
            p.bad id={ (id) "-error" } data-error=(field.name) role=[is_wrong.map(|_| "alert")] { (wrong.join("; ")) }
        }
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
