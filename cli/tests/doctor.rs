//! Checks the table of findings in docs/operating.md.

use std::collections::BTreeSet;

use cli::doctor::Problem;

#[test]
fn every_finding_has_a_line_in_the_documentation() {
    let page = include_str!("../../docs/operating.md");
    let (_, section) = page.split_once("\n## Doctor\n").expect("a section about the doctor");
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let documented: BTreeSet<_> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .map(|(name, _)| name)
        .collect();
    let names: BTreeSet<_> = Problem::ALL.into_iter().map(Problem::as_str).collect();
    assert_eq!(names.len(), Problem::ALL.len(), "names are unique");
    assert_eq!(documented, names);
}
