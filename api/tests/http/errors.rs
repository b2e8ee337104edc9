//! The pages of `docs/errors`.

use std::{collections::BTreeSet, fs, path::Path};

use domain::{ApiErrorCode, FailureCode};

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors");
    let pages: BTreeSet<String> = fs::read_dir(&folder)
        .expect("docs/errors")
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".md").map(str::to_owned))
        .filter(|name| name != "README")
        .collect();
    let codes = ApiErrorCode::ALL.iter().map(|code| code.as_str());
    let codes: BTreeSet<String> =
        codes.chain(FailureCode::ALL.iter().map(|code| code.as_str())).map(str::to_owned).collect();
    assert_eq!(pages, codes);
    let index = fs::read_to_string(folder.join("README.md")).unwrap();
    for code in &codes {
        let page = fs::read_to_string(folder.join(format!("{code}.md"))).unwrap();
        assert!(page.starts_with(&format!("# {code}\n")), "{code}: wrong title");
        assert!(index.contains(&format!("({code}.md)")), "{code} is not in the index");
    }
    for code in ApiErrorCode::ALL {
        let page = fs::read_to_string(folder.join(format!("{code}.md"))).unwrap();
        assert!(page.contains(&format!("HTTP {}", code.status())), "{code}: wrong status");
        let retry = if code.retryable() { "Retry: yes" } else { "Retry: no" };
        assert!(page.contains(retry), "{code}: {retry}");
    }
    for code in FailureCode::ALL {
        let page = fs::read_to_string(folder.join(format!("{code}.md"))).unwrap();
        let retry = if code.retryable() { "Retry: yes" } else { "Retry: no" };
        assert!(page.contains(retry), "{code}: {retry}");
    }
}
