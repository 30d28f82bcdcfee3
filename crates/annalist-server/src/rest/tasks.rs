//! Long work on a crawl: asked for, watched, stopped.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::crawls::{Page, blocking};
use super::reading::{Asking, Body, Place};
use crate::problem::Problem;
use crate::serve::App;
use crate::tasks::{NewTask, Task, Told};

/// A task with what its command says.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaskView {
    #[serde(flatten)]
    pub task: Task,
    /// How far it is, the newest last.
    pub lines: Vec<String>,
    /// What it told at its end.
    pub report: Vec<String>,
}

impl TaskView {
    fn of(told: Told) -> TaskView {
        let Told { task, lines, report } = told;
        TaskView { task, lines, report }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TaskList {
    /// How many there are; the last fifty are kept.
    pub total: usize,
    /// The newest first.
    pub tasks: Vec<TaskView>,
}

/// Asks for a study, an export, a rebuild and the like. A crawl has one task at a time, and those that change what is derived
/// wait until the crawl rests.
#[utoipa::path(post, path = "/api/crawls/{id}/tasks", params(("id" = String, Path)), request_body = NewTask, responses(
    (status = 202, body = Task), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn add(
    State(app): State<App>,
    Place(id): Place<String>,
    Body(new): Body<NewTask>,
) -> Result<(StatusCode, Json<Task>), Problem> {
    let task = blocking(move || app.tasks.add(&id, new)).await?;
    Ok((StatusCode::ACCEPTED, Json(task)))
}

/// The tasks of a crawl, the last fifty of them.
#[utoipa::path(get, path = "/api/crawls/{id}/tasks", params(("id" = String, Path), Page), responses(
    (status = 200, body = TaskList), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn list(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(page): Asking<Page>,
) -> Result<Json<TaskList>, Problem> {
    let (offset, limit) = page.checked()?;
    let (total, tasks) = blocking(move || app.tasks.part(&id, offset, limit)).await?;
    Ok(Json(TaskList { total, tasks: tasks.into_iter().map(TaskView::of).collect() }))
}

/// One task.
#[utoipa::path(get, path = "/api/crawls/{id}/tasks/{number}", params(("id" = String, Path), ("number" = u64, Path)), responses(
    (status = 200, body = TaskView), (status = 404, body = Problem)))]
pub async fn one(
    State(app): State<App>,
    Place((id, number)): Place<(String, u64)>,
) -> Result<Json<TaskView>, Problem> {
    Ok(Json(TaskView::of(blocking(move || app.tasks.one(&id, number)).await?)))
}

/// Stops a task; nothing half done is left.
#[utoipa::path(delete, path = "/api/crawls/{id}/tasks/{number}", params(("id" = String, Path), ("number" = u64, Path)), responses(
    (status = 202, body = TaskView), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn stop(
    State(app): State<App>,
    Place((id, number)): Place<(String, u64)>,
) -> Result<(StatusCode, Json<TaskView>), Problem> {
    let told = blocking(move || app.tasks.stop(&id, number)).await?;
    Ok((StatusCode::ACCEPTED, Json(TaskView::of(told))))
}
