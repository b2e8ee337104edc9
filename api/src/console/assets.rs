//! Serves the console: one page that loads the ES modules of the folder `console`.
//!
//! The modules are embedded in the binary. In builds with debug assertions they are read from the
//! folder, so that a change needs no build.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError},
};

use domain::ApiErrorCode;
use http::{HeaderValue, Method, StatusCode, header};
use maud::{DOCTYPE, Markup, html};
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};
use warp::{
    Filter,
    filters::{BoxedFilter, path::FullPath},
    reply::{Reply, Response},
};

use crate::{
    App,
    http::{
        compression::{accepts_gzip, gzip},
        error::ApiError,
        request::Trace,
    },
};

/// The files that browsers load. Tests and licences are not served.
#[derive(RustEmbed)]
#[folder = "../console"]
#[include = "app/*.js"]
#[include = "components/*.js"]
#[include = "pages/*.js"]
#[include = "sample/*.mp4"]
#[include = "vendor/*.js"]
#[include = "style/*.css"]
#[include = "icon.svg"]
struct Files;

/// Path of the console.
const PATH: &str = "/console";
/// Path of the files, before the version.
const ASSETS: &str = "/console/assets/";
/// The first module. It imports all others.
const MAIN: &str = "app/main.js";
/// First segments of the paths of pages. The modules render the page of a path.
const SECTIONS: &[&str] =
    &["", "account", "billing", "keys", "log-in", "search", "shared", "sign-up", "spaces", "webhooks"];
/// Section of documents that a link shows to anybody.
const SHARED: &str = "shared";
/// Methods that pages and files accept.
const ALLOW: &str = "GET, HEAD, OPTIONS";
/// The path of a file contains the version, so its content never changes.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// Serves the paths of the console; rejects all others.
pub(crate) fn pages(app: App) -> BoxedFilter<(Response,)> {
    warp::method()
        .and(warp::path::full())
        .and(warp::header::optional("accept-encoding"))
        .and(warp::ext::get::<Arc<Trace>>())
        .and_then(move |method: Method, path: FullPath, encodings: Option<String>, trace: Arc<Trace>| {
            let found = find(&app, path.as_str(), encodings.as_deref().is_some_and(accepts_gzip));
            let response = found.map(|found| {
                let _ = trace.operation.set("console");
                respond(found, &method, &trace)
            });
            std::future::ready(response.ok_or_else(warp::reject::not_found))
        })
        .boxed()
}

/// Returns the page or the file at a path.
fn find(app: &App, path: &str, accepts_gzip: bool) -> Option<Response> {
    if let Some(versioned) = path.strip_prefix(ASSETS) {
        let (version, name) = versioned.split_once('/')?;
        return file(version, name, accepts_gzip);
    }
    let below = path.strip_prefix(PATH)?;
    if !below.is_empty() && !below.starts_with('/') {
        return None;
    }
    let section = below.trim_start_matches('/').split('/').next().unwrap_or_default();
    SECTIONS.contains(&section).then(|| page(app, section == SHARED))
}

fn respond(found: Response, method: &Method, trace: &Trace) -> Response {
    let mut response = match *method {
        Method::GET | Method::HEAD => return found,
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => ApiError::new(ApiErrorCode::MethodNotAllowed).into_response(&trace.id),
    };
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(ALLOW));
    response
}

/// Returns a file of the served version, compressed if the client accepts it. Videos are compressed already.
fn file(requested: &str, name: &str, accepts_gzip: bool) -> Option<Response> {
    // While developing, files change between two requests of one page.
    if !cfg!(debug_assertions) && requested != version() {
        return None;
    }
    let found = Files::get(name)?;
    let media_type = match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("mp4") => "video/mp4",
        _ => "image/svg+xml",
    };
    let compressed = (accepts_gzip && media_type != "video/mp4").then(|| gzipped(name, &found.data));
    let is_compressed = compressed.is_some();
    let mut response = compressed.unwrap_or_else(|| found.data.into_owned()).into_response();
    let headers = response.headers_mut();
    if is_compressed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    let cache = if cfg!(debug_assertions) { "no-store" } else { IMMUTABLE };
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    Some(response)
}

/// Returns a file compressed. A release build compresses each file once.
fn gzipped(name: &str, data: &[u8]) -> Vec<u8> {
    static COMPRESSED: LazyLock<Mutex<HashMap<String, Vec<u8>>>> = LazyLock::new(Mutex::default);
    if cfg!(debug_assertions) {
        return gzip(data);
    }
    let mut compressed = COMPRESSED.lock().unwrap_or_else(PoisonError::into_inner);
    compressed.entry(name.to_owned()).or_insert_with(|| gzip(data)).clone()
}

/// Returns the page that loads the modules. Readers of a shared document come from outside: the page
/// tells no site where they come from, and no search engine keeps it.
fn page(app: &App, is_shared: bool) -> Response {
    let mut response = warp::reply::html(render(&version()).into_string()).into_response();
    let headers = response.headers_mut();
    let policy = policy(app.objects().public_origin());
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    let referrer = if is_shared { "no-referrer" } else { "same-origin" };
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static(referrer));
    if is_shared {
        headers.insert("x-robots-tag", HeaderValue::from_static("noindex, nofollow"));
    }
    response
}

/// Allows the service's own scripts, styles and pictures, pictures that the user chose (`blob:`), and
/// uploads to storage with signed URLs, if storage has a public address.
fn policy(storage: Option<&str>) -> String {
    let storage = storage.map_or_else(String::new, |origin| format!(" {origin}"));
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
         media-src 'self' blob:; connect-src 'self'{storage}; base-uri 'none'; form-action 'self'; \
         frame-ancestors 'none'"
    )
}

fn render(version: &str) -> Markup {
    let url = |name: &str| format!("{ASSETS}{version}/{name}");
    let mut names: Vec<_> = Files::iter().collect();
    names.sort_unstable();
    let with_suffix = |suffix: &'static str| names.iter().filter(move |name| name.ends_with(suffix));
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Scan Service" }
                link rel="icon" href=(url("icon.svg")) type="image/svg+xml";
                @for name in with_suffix(".css") { link rel="stylesheet" href=(url(name)); }
                // Without these, browsers would load one level of imports after the other.
                @for name in with_suffix(".js") { link rel="modulepreload" href=(url(name)); }
                script type="module" src=(url(MAIN)) {}
            }
            body {
                div id="app" {}
                noscript { p { "The console needs JavaScript. The API reference at " a href="/docs" { "/docs" } " does not." } }
            }
        }
    }
}

/// Returns a hash of all files.
fn version() -> String {
    static VERSION: OnceLock<String> = OnceLock::new();
    if cfg!(debug_assertions) {
        return hash_files();
    }
    VERSION.get_or_init(hash_files).clone()
}

fn hash_files() -> String {
    let mut names: Vec<_> = Files::iter().collect();
    names.sort_unstable();
    let mut hash = Sha256::new();
    for (name, found) in names.iter().filter_map(|name| Some((name, Files::get(name)?))) {
        hash.update(name.as_bytes());
        hash.update(found.metadata.sha256_hash());
    }
    hex::encode(&hash.finalize()[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_storage_only_if_it_is_public() {
        assert!(policy(None).contains("connect-src 'self';"));
        assert!(
            policy(Some("https://s3.example.com")).contains("connect-src 'self' https://s3.example.com;")
        );
        assert!(!policy(None).contains("unsafe"));
    }

    #[test]
    fn text_is_compressed_for_clients_that_accept_it() {
        let encoding = |name: &str, accepts_gzip| {
            let response = file(&version(), name, accepts_gzip).unwrap();
            response.headers().get(header::CONTENT_ENCODING).cloned()
        };
        assert_eq!(encoding(MAIN, true).unwrap(), "gzip");
        assert_eq!(encoding(MAIN, false), None);
        let video = Files::iter().find(|name| name.ends_with(".mp4")).unwrap();
        assert_eq!(encoding(&video, true), None);
    }

    #[test]
    fn the_page_preloads_every_module() {
        let page = render("v1").into_string();
        assert!(Files::iter().any(|name| name == MAIN));
        for name in Files::iter().filter(|name| name.ends_with(".js")) {
            assert!(
                page.contains(&format!("rel=\"modulepreload\" href=\"/console/assets/v1/{name}\"")),
                "{name}"
            );
        }
        assert!(!page.contains("<style") && !page.contains("onclick"));
    }

    #[test]
    fn tests_and_licences_are_not_served() {
        assert!(Files::iter().all(|name| !name.contains("tests/") && !name.ends_with(".txt")));
    }
}
