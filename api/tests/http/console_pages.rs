//! The console's page and its modules.

use reqwest::Method;

use crate::app::TestApp;

#[tokio::test]
async fn the_console_loads_only_its_own_scripts_and_styles() {
    let app = TestApp::start().await;
    for path in ["/console", "/console/", "/console/log-in", "/console/spaces/spc_1/scans"] {
        let page = app.get(path).send().await.expect(200);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(page.header("cache-control"), "no-cache");
        let policy = page.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
        let text = String::from_utf8(page.bytes).unwrap();
        let urls: Vec<&str> = text.split(['"', ' ']).filter(|part| part.contains("/assets/")).collect();
        assert!(urls.len() > 3, "{text}");
        for url in urls {
            let url = url.trim_start_matches("href=").trim_start_matches("src=");
            let file = app.get(url).send().await.expect(200);
            assert!(!file.bytes.is_empty(), "{url}");
        }
        assert!(!text.contains("http://") && !text.contains("https://"), "{text}");
    }
    app.finish().await;
}

#[tokio::test]
async fn the_first_page_is_small() {
    let app = TestApp::start().await;
    let text = String::from_utf8(app.get("/console").send().await.expect(200).bytes).unwrap();
    let mut urls: Vec<&str> = text.split('"').filter(|part| part.starts_with("/console/assets/")).collect();
    urls.sort_unstable();
    urls.dedup();
    let mut total = text.len();
    for url in urls {
        total += app.get(url).send().await.expect(200).bytes.len();
    }
    assert!(total <= 300_000, "{total} bytes");
    app.finish().await;
}

#[tokio::test]
async fn unknown_files_and_pages_are_not_found() {
    let app = TestApp::start().await;
    for path in [
        "/console/nothing",
        "/console/assets/x/tests/walk.mjs",
        "/console/assets/x/../../Cargo.toml",
        "/console/assets/x/package.json",
        "/console/assets/app/main.js",
        "/consoles",
    ] {
        app.get(path).send().await.expect_error(404, "NOT_FOUND");
    }
    let post = app.post("/console/spaces").send().await.expect_error(405, "METHOD_NOT_ALLOWED");
    assert_eq!(post.header("allow"), "GET, HEAD, OPTIONS");
    app.call(Method::OPTIONS, "/console").send().await.expect(204);
    assert!(app.call(Method::HEAD, "/console").send().await.expect(200).bytes.is_empty());
    app.finish().await;
}

#[tokio::test]
async fn the_console_may_upload_to_public_storage_and_to_no_other_host() {
    let app = TestApp::with_public_storage().await;
    let page = app.get("/console").send().await.expect(200);
    let policy = page.header("content-security-policy");
    let connect = policy.split("; ").find(|part| part.starts_with("connect-src")).unwrap();
    let hosts: Vec<&str> = connect.split(' ').skip(2).collect();
    assert!(matches!(hosts[..], [host] if host.starts_with("http://127.0.0.1:")), "{policy}");
    app.finish().await;
}
