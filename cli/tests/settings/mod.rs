//! Reads the settings structs from the source of the workspace.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use syn::{
    Attribute, Expr, Fields, GenericArgument, Item, ItemEnum, ItemStruct, Lit, Meta, PathArguments, Type,
};

/// A table of the configuration.
pub(crate) struct Section {
    /// Its path (`server.limits`), or the name of a shared struct.
    pub(crate) path: String,
    pub(crate) doc: String,
    /// Whether several keys share its struct.
    pub(crate) shared: bool,
    /// Whether it is absent by default.
    pub(crate) optional: bool,
    pub(crate) keys: Vec<Key>,
}

/// A key of a section.
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) kind: Kind,
    /// Whether the value is a list.
    pub(crate) list: bool,
    pub(crate) default: Option<Value>,
}

/// Type of a key's value.
pub(crate) enum Kind {
    Text(&'static str),
    Secret,
    Boolean,
    Integer,
    Number,
    Map,
    /// One of these words, each with its meaning.
    Choice(Vec<(String, String)>),
    /// A struct that is described elsewhere.
    Shared(String),
}

impl Kind {
    /// Returns the kind of a type of one value, or `None` for a settings struct or an enum.
    fn of_leaf(name: &str) -> Option<Self> {
        Some(match name {
            "String" => Self::Text("string"),
            "PathBuf" => Self::Text("path"),
            "SocketAddr" => Self::Text("`address:port`"),
            "IpNet" | "Network" => Self::Text("network (CIDR)"),
            "Secret" => Self::Secret,
            "bool" => Self::Boolean,
            "u8" | "u16" | "u32" | "u64" | "usize" | "i64" | "Cents" => Self::Integer,
            "f32" | "f64" => Self::Number,
            "DialMap" => Self::Map,
            _ => return None,
        })
    }

    /// Returns the name of the type for readers.
    pub(crate) fn name(&self, list: bool) -> String {
        let one = match self {
            Self::Text(name) => name,
            Self::Secret => "secret",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Map => "table of host = `address:port`",
            Self::Choice(_) => "one of",
            Self::Shared(name) => name,
        };
        if list { format!("list of {one}") } else { one.to_owned() }
    }

    /// Returns the values of a choice, each with its meaning.
    pub(crate) fn values(&self) -> &[(String, String)] {
        if let Self::Choice(values) = self { values } else { &[] }
    }
}

/// The structs and enums of every file that uses `Deserialize`, each with its crate.
pub(crate) struct Source {
    structs: Vec<(String, ItemStruct)>,
    enums: Vec<(String, ItemEnum)>,
}

impl Source {
    /// Parses every crate in a folder at the root of the workspace.
    pub(crate) fn parse(workspace: &Path) -> Self {
        let mut source = Self { structs: Vec::new(), enums: Vec::new() };
        for folder in fs::read_dir(workspace).unwrap().map(|entry| entry.unwrap().path()) {
            if folder.join("Cargo.toml").is_file() && folder.join("src").is_dir() {
                let name = folder.file_name().unwrap().to_string_lossy().into_owned();
                source.parse_folder(&name, folder.join("src"));
            }
        }
        source
    }

    fn parse_folder(&mut self, name: &str, folder: PathBuf) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                self.parse_folder(name, path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                if !text.contains("Deserialize") {
                    continue;
                }
                let file = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                for item in file.items {
                    match item {
                        Item::Struct(item) => self.structs.push((name.to_owned(), item)),
                        Item::Enum(item) => self.enums.push((name.to_owned(), item)),
                        _ => {}
                    }
                }
            }
        }
    }

    /// Returns the only struct with this name and these fields, preferring the crate `within`.
    fn find_struct(&self, name: &str, within: &str, keys: &[&String]) -> Option<(&str, &ItemStruct)> {
        let same = |item: &ItemStruct| {
            let fields: Vec<String> =
                item.fields.iter().filter_map(|f| f.ident.as_ref()).map(ToString::to_string).collect();
            item.ident == name
                && fields.len() == keys.len()
                && fields.iter().all(|field| keys.contains(&field))
        };
        let all: Vec<_> = self.structs.iter().filter(|(_, item)| same(item)).collect();
        let near: Vec<_> = all.iter().copied().filter(|(crate_name, _)| crate_name == within).collect();
        match (near.as_slice(), all.as_slice()) {
            ([(found, item)], _) | ([], [(found, item)]) => Some((found, item)),
            ([], []) => None,
            _ => panic!("more than one struct {name} has the fields {keys:?}: rename one"),
        }
    }

    fn find_enum(&self, name: &str, within: &str) -> Option<&ItemEnum> {
        self.enums.iter().find(|(found, item)| found == within && item.ident == name).map(|(_, item)| item)
    }
}

/// Reads the sections of the struct `root` and of the structs in it. `defaults` parses a TOML text
/// into a configuration and returns it as JSON.
pub(crate) fn read(
    source: &Source,
    root: &str,
    shared: &[&str],
    defaults: &dyn Fn(&str) -> Value,
) -> Vec<Section> {
    let mut reader = Reader { source, shared, defaults, sections: Vec::new(), types: Vec::new() };
    let value = defaults("");
    let (within, item) = source.find_struct(root, "cli", &keys(&value)).expect("no root struct");
    reader.section(String::new(), within, item, doc(&item.attrs), &value, false);
    let mut sections = reader.sections;
    sections.extend(reader.types);
    sections
}

struct Reader<'a> {
    source: &'a Source,
    shared: &'a [&'a str],
    defaults: &'a dyn Fn(&str) -> Value,
    sections: Vec<Section>,
    types: Vec<Section>,
}

impl Reader<'_> {
    fn section(
        &mut self,
        path: String,
        within: &str,
        item: &ItemStruct,
        doc_of_section: String,
        value: &Value,
        optional: bool,
    ) {
        let at = self.sections.len();
        let doc_of_section = if doc_of_section.is_empty() { doc(&item.attrs) } else { doc_of_section };
        self.sections.push(Section {
            path: path.clone(),
            doc: doc_of_section,
            shared: false,
            optional,
            keys: Vec::new(),
        });
        let Fields::Named(fields) = &item.fields else { panic!("{} has no names", item.ident) };
        for field in &fields.named {
            let name = field.ident.as_ref().unwrap().to_string();
            let written = TypeName::of(&field.ty);
            let default = value.get(&name).unwrap_or_else(|| panic!("{path}.{name} is not serialized"));
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            if let Some(kind) = self.leaf(&written, within) {
                let key = Key {
                    name,
                    doc: doc(&field.attrs),
                    kind,
                    list: written.list,
                    default: Some(default.clone()),
                };
                self.sections[at].keys.push(key);
                continue;
            }
            let optional = optional || default.is_null();
            let value = if default.is_null() {
                // An empty section has the defaults of its fields.
                let all = (self.defaults)(&format!("[{path}]"));
                path.split('.').fold(all, |value, part| value[part].clone())
            } else {
                default.clone()
            };
            let within = written.krate.as_deref().unwrap_or(within);
            let source = self.source;
            let (within, item) = source
                .find_struct(&written.name, within, &keys(&value))
                .unwrap_or_else(|| panic!("{path}: add the type {} to Kind::of_leaf", written.name));
            self.section(path, within, item, doc(&field.attrs), &value, optional);
        }
    }

    /// Returns the kind of a type, or `None` for a section.
    fn leaf(&mut self, written: &TypeName, within: &str) -> Option<Kind> {
        if let Some(kind) = Kind::of_leaf(&written.name) {
            return Some(kind);
        }
        if self.shared.contains(&written.name.as_str()) {
            self.describe_shared(&written.name, within);
            return Some(Kind::Shared(format!("`{}`", written.name)));
        }
        let item = self.source.find_enum(&written.name, within)?;
        let values = item.variants.iter().map(|v| (snake_case(&v.ident.to_string()), doc(&v.attrs)));
        Some(Kind::Choice(values.collect()))
    }

    fn describe_shared(&mut self, name: &str, within: &str) {
        if self.types.iter().any(|section| section.path == name) {
            return;
        }
        let found = self.source.structs.iter().find(|(found, item)| found == within && item.ident == name);
        let (_, item) = found.unwrap_or_else(|| panic!("{within} has no struct {name}"));
        let keys = item.fields.iter().map(|field| Key {
            name: field.ident.as_ref().unwrap().to_string(),
            doc: doc(&field.attrs),
            kind: Kind::of_leaf(&TypeName::of(&field.ty).name).expect("a shared struct has plain fields"),
            list: false,
            default: None,
        });
        let section = Section {
            path: name.to_owned(),
            doc: doc(&item.attrs),
            shared: true,
            optional: false,
            keys: keys.collect(),
        };
        self.types.push(section);
    }
}

/// Name of a field's type, without `Option` and `Vec`.
struct TypeName {
    krate: Option<String>,
    name: String,
    list: bool,
}

impl TypeName {
    fn of(ty: &Type) -> Self {
        let Type::Path(path) = ty else { panic!("a setting has a type without a name") };
        let segments = &path.path.segments;
        let last = segments.last().unwrap();
        if let PathArguments::AngleBracketed(arguments) = &last.arguments {
            let Some(GenericArgument::Type(inner)) = arguments.args.first() else {
                panic!("no type in {}", last.ident)
            };
            let inner = Self::of(inner);
            return Self { list: inner.list || last.ident == "Vec", ..inner };
        }
        let first = segments.first().filter(|_| segments.len() > 1).map(|segment| segment.ident.to_string());
        let krate = first.filter(|first| !["crate", "super", "self"].contains(&first.as_str()));
        Self { krate, name: last.ident.to_string(), list: false }
    }
}

fn keys(value: &Value) -> Vec<&String> {
    value.as_object().map(|object| object.keys().collect()).unwrap_or_default()
}

/// Returns the doc comment as one paragraph, without the brackets of links to code.
fn doc(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter(|a| a.path().is_ident("doc")).filter_map(|attribute| {
        let Meta::NameValue(meta) = &attribute.meta else { return None };
        let Expr::Lit(literal) = &meta.value else { return None };
        let Lit::Str(text) = &literal.lit else { return None };
        Some(text.value().trim().to_owned())
    });
    lines.collect::<Vec<_>>().join(" ").trim().replace("[`", "`").replace("`]", "`")
}

fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for (at, letter) in name.char_indices() {
        if letter.is_uppercase() && at > 0 {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}
