//! Tests sealing and opening of secrets.

use domain::Secret;
use outbound::seal::{MasterKey, SealError, SealSettings, SealSettingsError, Sealer};
use proptest::prelude::*;

const OWNER: &str = "whe_01arz3ndektsv4rrffq69g5fav";

fn sealer(keys: &[&MasterKey]) -> Sealer {
    Sealer::new(&SealSettings { keys: keys.iter().copied().cloned().collect() }).unwrap()
}

fn key(id: &str, hex: &str) -> MasterKey {
    MasterKey { id: id.into(), key: Secret::new(hex) }
}

#[test]
fn opens_only_for_the_owner() {
    let sealer = sealer(&[&MasterKey::generate("2026-11")]);
    let secret = Secret::new("whsec_abc");
    let sealed = sealer.seal(&secret, OWNER);
    assert!(sealed.starts_with("v1.2026-11.") && !sealed.contains("whsec_abc"));
    assert_eq!(sealer.open(&sealed, OWNER), Ok(secret.clone()));
    assert_eq!(sealer.open(&sealed, "whe_other"), Err(SealError::Rejected));
    assert_ne!(sealer.seal(&secret, OWNER), sealed, "a nonce is never used twice");
}

#[test]
fn rotates_keys() {
    let (old, new) = (MasterKey::generate("old"), MasterKey::generate("new"));
    let before = sealer(&[&old]);
    let sealed = before.seal(&Secret::new("whsec_abc"), OWNER);

    let during = sealer(&[&new, &old]);
    let opened = during.open(&sealed, OWNER).unwrap();
    assert!(!during.is_current(&sealed));
    let resealed = during.seal(&opened, OWNER);
    assert!(during.is_current(&resealed));

    let after = sealer(&[&new]);
    assert_eq!(after.open(&resealed, OWNER), Ok(opened));
    assert_eq!(after.open(&sealed, OWNER), Err(SealError::UnknownKey("old".into())));
}

#[test]
fn rejects_another_key_with_the_same_id() {
    let sealed = sealer(&[&MasterKey::generate("k")]).seal(&Secret::new("whsec_abc"), OWNER);
    assert_eq!(sealer(&[&MasterKey::generate("k")]).open(&sealed, OWNER), Err(SealError::Rejected));
}

#[test]
fn rejects_text_that_is_not_sealed() {
    let sealer = sealer(&[&MasterKey::generate("k")]);
    for text in ["", "v1", "v1.k", "v2.k.AAAA", "whsec_abc", "v1.k.", "v1.k.AAAA", "v1.k.====", "v1.k.!"] {
        assert_eq!(sealer.open(text, OWNER), Err(SealError::Malformed), "{text:?}");
    }
}

#[test]
fn rejects_invalid_keys() {
    let (hex, short) = ("ab".repeat(32), "ab".repeat(31));
    let new =
        |keys: &[MasterKey]| Sealer::new(&SealSettings { keys: keys.to_vec() }).map(|_| ()).unwrap_err();
    assert_eq!(new(&[]), SealSettingsError::NoKey);
    assert_eq!(new(&[key("a", &hex), key("a", &hex)]), SealSettingsError::Repeated("a".into()));
    assert_eq!(new(&[key("a", &short)]), SealSettingsError::Key("a".into()));
    assert_eq!(new(&[key("a", &"zz".repeat(32))]), SealSettingsError::Key("a".into()));
    for id in ["", "a.b", "a b", &"a".repeat(33)] {
        assert_eq!(new(&[key(id, &hex)]), SealSettingsError::KeyId(id.into()));
    }
    let shown = format!("{:?} {:?}", key("a", &hex), sealer(&[&key("a", &hex)]));
    assert!(!shown.contains("abab"), "{shown}");
}

proptest! {
    #[test]
    fn any_secret_round_trips(secret in ".{0,200}", owner in ".{0,40}") {
        let sealer = sealer(&[&MasterKey::generate("k")]);
        let secret = Secret::new(secret);
        prop_assert_eq!(sealer.open(&sealer.seal(&secret, &owner), &owner), Ok(secret));
    }

    #[test]
    fn rejects_any_altered_character(at in any::<prop::sample::Index>(), with in "[A-Za-z0-9_.-]") {
        let sealer = sealer(&[&MasterKey::generate("k")]);
        let sealed = sealer.seal(&Secret::new("whsec_abcdefgh"), OWNER);
        let at = at.index(sealed.len());
        let mut altered = sealed.clone();
        altered.replace_range(at..=at, &with);
        prop_assume!(altered != sealed);
        prop_assert!(sealer.open(&altered, OWNER).is_err());
    }
}
