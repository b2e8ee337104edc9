//! Rebuilds the crate when a file of the console was added. Debug builds read the folder at run time.

#[expect(clippy::disallowed_methods, reason = "cargo passes the profile in the environment")]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        for folder in ["app", "components", "pages", "style", "vendor"] {
            println!("cargo:rerun-if-changed=../console/{folder}");
        }
    }
}
