//! The baseline of the API: one warp route with one SELECT by primary key that returns the same
//! bytes. It runs in a separate process over the same database, like the API.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, ensure};
use clap::Args;
use entities::{Db, Settings};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use tokio::net::TcpListener;
use warp::{Filter, http::header, reply::Reply};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The database file.
    database: PathBuf,
    /// File with the response body.
    body: PathBuf,
}

/// Serves `GET /{scan}` until the process is killed. The first line of output is its URL.
#[tokio::main]
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let db = Db::connect(&Settings::at(format!("sqlite://{}", arguments.database.display()))).await?;
    let body = bytes::Bytes::from(std::fs::read(&arguments.body)?);
    let route = warp::path::param::<String>().and(warp::get()).then(move |id: String| {
        let (db, body) = (db.clone(), body.clone());
        async move {
            let select = Statement::from_sql_and_values(
                DbBackend::Sqlite,
                "SELECT * FROM scans WHERE id = $1",
                [id.into()],
            );
            match entities::Reader::conn(&db).query_one_raw(select).await {
                Ok(Some(_)) => {
                    let mut response = warp::reply::Response::new(body.into());
                    let json = header::HeaderValue::from_static("application/json");
                    response.headers_mut().insert(header::CONTENT_TYPE, json);
                    response
                }
                _ => warp::http::StatusCode::NOT_FOUND.into_response(),
            }
        }
    });
    let service = TowerToHyperService::new(warp::service(route));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = service.clone();
        tokio::spawn(async move {
            let connection = auto::Builder::new(TokioExecutor::new());
            // Errors mean that the client closed the connection.
            let _ = connection.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// The route in a child process, which is killed when this is dropped.
pub(super) struct BareRoute {
    child: Child,
    pub(super) url: String,
}

impl BareRoute {
    pub(super) fn start(database: &Path, body: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("bare").arg(database).arg(body).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let out = child.stdout.take().context("the bare route has no output")?;
        let mut url = String::new();
        BufReader::new(out).read_line(&mut url)?;
        ensure!(url.starts_with("http://"), "the bare route did not start");
        Ok(Self { child, url: url.trim().to_owned() })
    }
}

impl Drop for BareRoute {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
