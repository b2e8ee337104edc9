//! Output of the client commands: JSON for programs, tables for people.
#![allow(clippy::print_stdout, reason = "commands print their results")]

use serde_json::Value;

/// Prints a value as JSON, or with `table`.
pub fn show(as_json: bool, value: &Value, table: impl FnOnce(&Value)) {
    if as_json {
        println!("{value:#}");
    } else {
        table(value);
    }
}

/// Prints the rows of a list as a table. A column is a title and the path of a field, as in
/// `space.name`.
pub fn table(rows: &[Value], columns: &[(&str, &str)]) {
    if rows.is_empty() {
        println!("none");
        return;
    }
    let header = columns.iter().map(|(title, _)| (*title).to_owned()).collect();
    let cells = rows.iter().map(|row| columns.iter().map(|(_, path)| cell(field(row, path))).collect());
    let lines: Vec<Vec<String>> = std::iter::once(header).chain(cells).collect();
    print!("{}", aligned(&lines));
}

/// Prints fields of an object, one a line. Fields without a value are left out.
pub fn fields(object: &Value, columns: &[(&str, &str)]) {
    let width = columns.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
    for (title, path) in columns {
        let value = field(object, path);
        if !value.is_null() {
            println!("{title:<width$}  {}", cell(value));
        }
    }
}

fn field<'a>(row: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(row, |value, name| &value[name])
}

/// Returns a value as one line of text, without control characters: names come from strangers.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Array(items) => items.iter().map(cell).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    printable(&text)
}

/// Replaces control characters, with which a text could move the cursor or change the terminal.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Returns an amount of money, for example `12.50 USD`.
pub fn money(cents: &Value) -> String {
    let cents = cents.as_i64().unwrap_or(0);
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02} USD", cents.abs() / 100, cents.abs() % 100)
}

fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let cells: Vec<String> =
            line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_are_aligned_and_cannot_change_the_terminal() {
        assert_eq!(
            aligned(&[vec!["A".into(), "B".into()], vec!["long".into(), "x".into()]]),
            "A     B\nlong  x\n"
        );
        assert_eq!(cell(&json!("a\u{1b}[2Jb\nc")), "a [2Jb c");
        assert_eq!(cell(&json!(["x", true, null])), "x, yes, –");
        assert_eq!(
            (money(&json!(1250)), money(&json!(-5))),
            ("12.50 USD".to_owned(), "-0.05 USD".to_owned())
        );
    }
}
