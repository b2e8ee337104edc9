//! Validates the fields of a space.

use domain::space::{MAX_DESCRIPTION, MAX_EXTERNAL_ID, MAX_NAME, MAX_SPACE_TYPE, NewSpace};

use crate::http::error::{ApiError, ApiResult, FieldError};

/// Checks lengths (in characters), blank texts and control characters.
pub(super) fn validate(new: &NewSpace) -> ApiResult<()> {
    let mut errors = Vec::new();
    for (field, text, max_chars) in
        [("name", &new.name, MAX_NAME), ("space_type", &new.space_type, MAX_SPACE_TYPE)]
    {
        if !text.chars().any(|c| c > ' ' && c != '\u{7f}') {
            errors.push(FieldError::new(field, "must not be blank"));
        }
        errors.extend(label(field, text, max_chars));
    }
    errors.extend(new.external_id.as_deref().and_then(|text| label("external_id", text, MAX_EXTERNAL_ID)));
    if let Some(description) = &new.description {
        if description.chars().count() > MAX_DESCRIPTION {
            errors.push(FieldError::new(
                "description",
                format!("must have at most {MAX_DESCRIPTION} characters"),
            ));
        }
        if description.contains('\0') {
            errors.push(FieldError::new("description", "must not contain U+0000"));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(ApiError::validation(errors)) }
}

/// Checks a text of one line.
fn label(field: &str, text: &str, max_chars: usize) -> Option<FieldError> {
    if text.chars().count() > max_chars {
        return Some(FieldError::new(field, format!("must have at most {max_chars} characters")));
    }
    let control = text.chars().any(|c| c.is_ascii_control());
    control.then(|| FieldError::new(field, "must not contain control characters"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(name: &str) -> NewSpace {
        NewSpace { name: name.into(), space_type: "office".into(), external_id: None, description: None }
    }

    #[test]
    fn counts_lengths_in_characters() {
        assert!(validate(&space(&"ü".repeat(200))).is_ok());
        for bad in [String::new(), "  ".into(), "a\nb".into(), "ü".repeat(201)] {
            assert!(validate(&space(&bad)).is_err(), "{bad:?} was accepted");
        }
        let long = NewSpace { external_id: Some("x".repeat(129)), ..space("a") };
        assert!(validate(&long).is_err());
    }
}
