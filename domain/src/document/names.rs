//! Enums of a document: kinds, sources, tasks, providers and attribute names.
//!
//! A document of a newer version may hold names that this version doesn't know. They are read into
//! `Unknown` and written back unchanged, so every stored document stays readable.

/// Defines an enum that is stored as a string and keeps unknown strings.
macro_rules! stored_names {
    (
        $(#[$about:meta])*
        $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(from = "String", into = "String")]
        pub enum $name {
            $($(#[$doc])* $variant,)+
            /// A name from a newer version.
            Unknown(String),
        }

        impl $name {
            /// Returns the stored name.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Unknown(name) => name,
                }
            }
        }

        impl From<String> for $name {
            fn from(name: String) -> Self {
                match name.as_str() {
                    $($text => Self::$variant,)+
                    _ => Self::Unknown(name),
                }
            }
        }

        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                Self::from(name.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.as_str().to_owned()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

stored_names! {
    /// Kind of a medium.
    MediumKind {
        /// A video file.
        Video = "video",
        /// A photo.
        Photo = "photo",
    }
}

stored_names! {
    /// Reason why a frame was kept.
    KeptBecause {
        /// The first usable frame of the video.
        First = "first",
        /// It shows a view that no kept frame shows.
        NewView = "new_view",
        /// It replaced a blurrier frame of the same view.
        Sharper = "sharper",
        /// Enough time passed since the last kept frame.
        Interval = "interval",
        /// Every usable photo is kept.
        Photo = "photo",
    }
}

stored_names! {
    /// Name of a zone's attribute.
    AttributeName {
        /// Brightness in a word: `dark`, `normal` or `bright`.
        Light = "light",
        /// Mean lightness, 0 to 1, as a decimal.
        MeanLightness = "mean_lightness",
        /// Main colours, separated by commas, largest share first.
        DominantColours = "dominant_colours",
    }
}

stored_names! {
    /// Kind of a text in a picture.
    TextKind {
        /// A name or a short notice.
        Sign = "sign",
        /// A number, for example of a room.
        Number = "number",
        /// A phone number, mail address or website.
        Contact = "contact",
        /// A warning or a prohibition.
        Warning = "warning",
        /// A password, PIN, door code or network key, or the line that holds one.
        Credential = "credential",
        /// Any other text.
        Other = "other",
    }
}

stored_names! {
    /// Kind of a fact.
    FactKind {
        /// An amount of money.
        Price = "price",
        /// A day, month or year.
        Date = "date",
        /// A time of day.
        Time = "time",
        /// Days and times at which something is open.
        OpeningHours = "opening_hours",
        /// A phone number.
        Phone = "phone",
        /// A mail address.
        Email = "email",
        /// The address of a website.
        Url = "url",
        /// A thing that comes with the space.
        Inclusion = "inclusion",
        /// The state of a thing or of a room.
        Condition = "condition",
        /// A service or installation of the space.
        Amenity = "amenity",
        /// A thing that is allowed or forbidden.
        Rule = "rule",
        /// A number or code that names something.
        Code = "code",
        /// A password, PIN, door code or network key.
        Credential = "credential",
    }
}

stored_names! {
    /// Reason to handle frames or texts with care.
    PrivacyKind {
        /// A frame shows a person.
        Person = "person",
        /// A text holds a password, PIN, door code or network key.
        Credential = "credential",
    }
}

stored_names! {
    /// Source of a narration.
    NarrationSource {
        /// The transcript in the client's request.
        Client = "client",
        /// Speech recognition.
        Transcribed = "transcribed",
    }
}

stored_names! {
    /// Kind of a relation.
    RelationKind {
        /// Two zones are next to each other.
        Adjacent = "adjacent",
        /// An object is in a zone.
        Contains = "contains",
        /// A text or a narration names something.
        Mentions = "mentions",
    }
}

stored_names! {
    /// Task of a run.
    Task {
        /// Choosing the frames to keep.
        Frames = "frames",
        /// Cutting the walk into zones.
        Zones = "zones",
        /// Reading text in frames.
        Text = "text",
        /// Transcribing speech.
        Speech = "speech",
        /// Measuring light and colours.
        Light = "light",
        /// Detecting objects.
        Objects = "objects",
        /// Recognizing furniture in regions of frames.
        Furniture = "furniture",
        /// Reading text and detecting objects in one request to an endpoint.
        Vision = "vision",
        /// Naming rooms from signs and speech.
        Rooms = "rooms",
        /// Finding numbers with units in signs and speech.
        Measurements = "measurements",
        /// Grouping lines of text into boards.
        Boards = "boards",
        /// Finding prices, dates, contacts and other statements in texts and speech.
        Facts = "facts",
        /// Finding frames and texts to handle with care.
        Privacy = "privacy",
        /// Finding the passages between zones.
        Openings = "openings",
        /// Writing the summary.
        Summary = "summary",
    }
}

stored_names! {
    /// Provider of a run.
    Provider {
        /// An algorithm without a model.
        Signal = "signal",
        /// A model that is part of the service.
        Packaged = "packaged",
        /// A model behind an OpenAI-compatible endpoint.
        Endpoint = "endpoint",
        /// The client's request.
        Client = "client",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_unknown_names_as_stored() {
        for stored in ["\"text\"", "\"a task of a newer version\""] {
            let task: Task = serde_json::from_str(stored).unwrap();
            assert_eq!(serde_json::to_string(&task).unwrap(), stored);
        }
        assert_eq!(Task::from("text"), Task::Text);
        assert_eq!(TextKind::from("other"), TextKind::Other);
        assert_eq!(Provider::from("new"), Provider::Unknown("new".to_owned()));
    }
}
