//! The schema of [`ScanInput`]: one variant for a video and one for photos, discriminated by
//! `kind`.

use serde::{Deserialize, Serialize};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        Ref, RefOr,
        schema::{Discriminator, OneOfBuilder, Schema},
    },
};

use crate::media::{FrameInput, ScanInput, Transcript, VideoInput};

/// A scan of one video.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct VideoScanInput {
    // An inlined schema takes its description from the type, so the field has none.
    #[schema(inline)]
    kind: OfVideo,
    /// BCP 47 language of the spoken or expected content, for example `en` or `pt-BR`.
    #[schema(
        max_length = 64,
        pattern = "^([A-Za-z]{2,3}(-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(-[0-9A-WY-Za-wy-z](-[A-Za-z0-9]{2,8})+)*(-[xX](-[A-Za-z0-9]{1,8})+)?$"
    )]
    language: String,
    /// The declared video.
    video: VideoInput,
    /// Transcript, if the client has one. The audio is not transcribed then.
    transcript: Option<Transcript>,
}

/// A scan of ordered photos.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FramesScanInput {
    #[schema(inline)]
    kind: OfFrames,
    /// BCP 47 language of the expected content, for example `en` or `pt-BR`.
    #[schema(
        max_length = 64,
        pattern = "^([A-Za-z]{2,3}(-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(-[0-9A-WY-Za-wy-z](-[A-Za-z0-9]{2,8})+)*(-[xX](-[A-Za-z0-9]{1,8})+)?$"
    )]
    language: String,
    /// The photos, in order.
    #[schema(min_items = 1, max_items = 500)]
    frames: Vec<FrameInput>,
    /// Transcript, if the client has one.
    transcript: Option<Transcript>,
}

/// Kind of a video scan.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum OfVideo {
    /// One video file.
    Video,
}

/// Kind of a photo scan.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum OfFrames {
    /// Photos in order.
    Frames,
}

impl PartialSchema for ScanInput {
    fn schema() -> RefOr<Schema> {
        let (video, frames) = (VideoScanInput::name(), FramesScanInput::name());
        let (video, frames) = (Ref::from_schema_name(video), Ref::from_schema_name(frames));
        let kinds = [("video", video.ref_location.clone()), ("frames", frames.ref_location.clone())];
        OneOfBuilder::new()
            .item(video)
            .item(frames)
            .discriminator(Some(Discriminator::with_mapping("kind", kinds)))
            .description(Some("Declared input of a scan: one video, or photos in order."))
            .into()
    }
}

impl ToSchema for ScanInput {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((VideoScanInput::name().into_owned(), VideoScanInput::schema()));
        schemas.push((FramesScanInput::name().into_owned(), FramesScanInput::schema()));
        VideoScanInput::schemas(schemas);
        FramesScanInput::schemas(schemas);
    }
}
