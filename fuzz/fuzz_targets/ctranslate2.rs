#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _outcome = perception::models::packaged::fuzzing::ctranslate2(data);
});
