#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| annalist_fuzz::run("replay", input));
