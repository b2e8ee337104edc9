//! Path templates such as `/spaces/{id}/scans`.

use percent_encoding::percent_decode_str;

/// Prefix of the paths of all endpoints.
pub const BASE: &str = "/v1";

/// Decoded values of the `{…}` segments of a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathParams(Vec<(&'static str, String)>);

impl PathParams {
    /// Returns the value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Literal(&'static str),
    Param(&'static str),
    /// The rest of the path, slashes included.
    Rest(&'static str),
}

/// A path with `{parameters}`; `{name*}` matches the rest of the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathTemplate {
    segments: Vec<Segment>,
    text: String,
}

impl PathTemplate {
    pub(crate) fn new(path: &'static str) -> Self {
        let segments: Vec<_> = path
            .trim_start_matches('/')
            .split('/')
            .map(|part| match part.strip_prefix('{').and_then(|p| p.strip_suffix('}')) {
                Some(name) => match name.strip_suffix('*') {
                    Some(name) => Segment::Rest(name),
                    None => Segment::Param(name),
                },
                None => Segment::Literal(part),
            })
            .collect();
        Self { segments, text: path.replace("*}", "}") }
    }

    /// Returns the template as OpenAPI writes it, without [`BASE`].
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the names of its parameters, in order.
    pub fn params(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Literal(_) => None,
            Segment::Param(name) | Segment::Rest(name) => Some(*name),
        })
    }

    pub(crate) fn has_params(&self) -> bool {
        self.params().next().is_some()
    }

    /// Returns the decoded parameters if a percent-encoded path matches. Empty segments, and
    /// segments that do not decode to UTF-8, never match.
    pub fn matches(&self, path: &str) -> Option<PathParams> {
        let mut rest = path.strip_prefix(BASE)?;
        let mut params = PathParams::default();
        for segment in &self.segments {
            rest = rest.strip_prefix('/')?;
            let (head, tail) = match segment {
                Segment::Rest(_) => (rest, ""),
                _ => rest.split_at(rest.find('/').unwrap_or(rest.len())),
            };
            match segment {
                Segment::Literal(literal) if *literal == head => {}
                Segment::Literal(_) => return None,
                Segment::Param(name) | Segment::Rest(name) => {
                    if head.is_empty() {
                        return None;
                    }
                    params.0.push((name, percent_decode_str(head).decode_utf8().ok()?.into_owned()));
                }
            }
            rest = tail;
        }
        rest.is_empty().then_some(params)
    }

    /// Returns the number of literal segments. Of two templates that match a path, the one with more
    /// literal segments is more specific.
    pub(crate) fn literals(&self) -> usize {
        self.segments.iter().filter(|s| matches!(s, Segment::Literal(_))).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_match_whole_decoded_segments() {
        let template = PathTemplate::new("/spaces/{id}/scans");
        let params = template.matches("/v1/spaces/spc%5F1/scans").unwrap();
        assert_eq!(params.0, [("id", "spc_1".to_owned())]);
        for other in
            ["/v1/spaces//scans", "/v1/spaces/a/scans/", "/v1/spaces/a/b/scans", "/spaces/a/scans", "*", ""]
        {
            assert_eq!(template.matches(other), None, "{other}");
        }
        assert_eq!(template.matches("/v1/spaces/%ff/scans"), None);
        let rest = PathTemplate::new("/media/{key*}");
        assert_eq!(rest.as_str(), "/media/{key}");
        assert_eq!(rest.matches("/v1/media/a/b%2Fc").unwrap().0, [("key", "a/b/c".to_owned())]);
        assert_eq!(rest.matches("/v1/media/"), None);
    }
}
