#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _outcome = media::ffmpeg::fuzzing::container(data);
});
