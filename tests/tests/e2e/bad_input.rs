//! Invalid media: the scan fails with a specific code and is refunded, the worker survives, and no
//! files remain.

use harness::{ApiClient, Receiver, Service, ServiceOptions, api_client::id, clips::Clip};
use serde_json::Value;

use crate::SCAN_TIMEOUT;

#[tokio::test(flavor = "multi_thread")]
async fn invalid_media_fail_with_a_code_and_are_refunded() {
    let receiver = Receiver::start().await.unwrap();
    let service = Service::start(ServiceOptions::default(), Some(&receiver)).await.unwrap();
    let account = service.account().unwrap();
    let secret = service.register(&account, &receiver).unwrap();
    let caller = service.client(&account);

    assert_rejected_at_upload(&caller).await;
    for (description, clip, code) in unreadable_clips() {
        let failed = scan_to_failure(&caller, &clip).await;
        assert_eq!(failed["error"]["code"], code, "{description}: {failed}");
        assert_eq!(failed["error"]["stage"], "ingesting", "{description}");
        assert_eq!(failed["charge"]["refunded"], true, "{description}");
        assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 3, "{description}");
        let event = format!("evt_{}_failed", id(&failed));
        let webhook = receiver.await_request(SCAN_TIMEOUT, |r| r.event_id == event).await;
        assert!(webhook.is_signed_with(&secret));
        assert_eq!(webhook.json()["data"]["scan"]["charge"]["refunded"], true);
    }
    // The worker survived: a valid scan completes.
    let good = caller.create_uploaded_scan(&Clip::moving(3)).await;
    caller.start(&good).await.expect(202);
    caller.await_status(&good, "complete", SCAN_TIMEOUT).await;
    // No child process and no working file remains.
    let scratch = service.folder().join("scratch");
    assert_eq!(working_files(&scratch), Vec::<String>::new());
    service.admin(&["verify-ledger"]).unwrap();
}

async fn assert_rejected_at_upload(caller: &ApiClient) {
    let empty = Clip::raw(Vec::new());
    let space = caller.create_space().await;
    let refused = caller.post(&format!("/spaces/{space}/scans"), empty.declaration()).await.expect(400);
    assert_eq!(refused.code(), "VALIDATION_FAILED");
    let zip = Clip::raw([b"PK\x03\x04".as_slice(), &[7; 4000]].concat());
    let playlist = Clip::raw("#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\nhttp://127.0.0.1:9/x.ts\n");
    let concat_list =
        Clip::raw("ffconcat version 1.0\nfile '/etc/passwd'\nfile 'http://127.0.0.1:9/x.mp4'\n");
    let session_description =
        Clip::raw("v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\n");
    for clip in [zip, playlist, concat_list, session_description] {
        let scan = caller.create_scan(&clip).await;
        let refused = caller.upload(&scan, &clip).await.expect(400);
        assert_eq!(refused.code(), "UPLOAD_MISMATCH");
    }
    let clip = Clip::moving(2);
    let scan = caller.create_scan(&clip).await;
    let url = scan["upload"]["url"].as_str().unwrap();
    let other = caller.put(url, "video/webm", clip.bytes.clone()).await.expect(415);
    assert_eq!(other.code(), "UNSUPPORTED_MEDIA_TYPE");
    let shorter = caller.put(url, "video/mp4", clip.bytes[..1000].to_vec()).await.expect(400);
    assert_eq!(shorter.code(), "UPLOAD_MISMATCH");
    assert_eq!(caller.start(&scan).await.expect(409).code(), "UPLOAD_INCOMPLETE");
}

/// Returns clips that can be uploaded but not scanned, with their failure codes.
fn unreadable_clips() -> Vec<(&'static str, Clip, &'static str)> {
    let clip = Clip::moving(4);
    let truncated = Clip::raw(clip.bytes[..clip.bytes.len() / 2].to_vec());
    let garbage =
        Clip::raw([b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41".as_slice(), &[0x55; 9000]].concat());
    let sound_only = Clip::from_inputs(&["-f", "lavfi", "-i", "sine=duration=3"], &[]);
    let black = Clip::from_inputs(&["-f", "lavfi", "-i", "color=black:size=320x240:rate=10:duration=3"], &[]);
    let huge =
        Clip::from_inputs(&["-f", "lavfi", "-i", "color=gray:size=10000x10000:rate=1:duration=1"], &[]);
    vec![
        ("cut off in the middle", truncated, "MEDIA_UNREADABLE"),
        ("garbage in a container", garbage, "MEDIA_UNREADABLE"),
        ("sound only", sound_only, "NO_VIDEO_STREAM"),
        ("all black", black, "NO_USABLE_FRAMES"),
        ("10 000 × 10 000", huge, "MEDIA_DIMENSIONS_TOO_LARGE"),
    ]
}

/// A three-hour video of one picture produces one frame. Time and memory don't grow with its
/// length.
#[tokio::test(flavor = "multi_thread")]
async fn three_hour_still_produces_one_frame() {
    let service = Service::start(ServiceOptions::default(), None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    let source = format!("testsrc2=size=320x240:rate=1:duration=1,loop=-1:1,trim=duration={}", 3 * 3600);
    let still = caller
        .create_uploaded_scan(&Clip::from_inputs(&["-f", "lavfi", "-i", &source], &["-g", "600"]))
        .await;
    caller.start(&still).await.expect(202);
    caller.await_status(&still, "complete", 3 * SCAN_TIMEOUT).await;
    let space = still["space_id"].as_str().unwrap();
    let document = &caller.get(&format!("/spaces/{space}")).await.expect(200).body["document"];
    assert_eq!(document["media"][0]["duration_ms"], 3 * 3600 * 1000);
    assert_eq!(document["frames"].as_array().unwrap().len(), 1);
    assert_eq!(document["zones"].as_array().unwrap().len(), 1);
}

async fn scan_to_failure(caller: &ApiClient, clip: &Clip) -> Value {
    let scan = caller.create_uploaded_scan(clip).await;
    caller.start(&scan).await.expect(202);
    caller.await_status(&scan, "failed", SCAN_TIMEOUT).await
}

fn working_files(folder: &std::path::Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries
        .flatten()
        .flat_map(|entry| {
            let path = entry.path();
            if path.is_dir() { working_files(&path) } else { vec![path.display().to_string()] }
        })
        .filter(|path| !path.contains("/."))
        .collect()
}
