//! Tests the validation of the settings.

use outbound::{
    Settings, SettingsError,
    dial::{DialMap, DialSettings, DialSettingsError},
    seal::{MasterKey, SealSettings},
};

fn settings() -> Settings {
    Settings { seal: SealSettings { keys: vec![MasterKey::generate("k")] }, ..Default::default() }
}

fn mapped() -> DialSettings {
    let address = "127.0.0.1:8443".parse().unwrap();
    DialSettings {
        dial_map: DialMap::new([("a.example.com".into(), address)]).unwrap(),
        ..Default::default()
    }
}

#[test]
fn live_payments_exclude_settings_for_tests() {
    settings().validate(true).unwrap();
    let trusting = DialSettings { test_ca_file: Some("ca.pem".into()), ..Default::default() };
    for (webhooks, named) in [(mapped(), "dial_map"), (trusting, "test_ca_file")] {
        let settings = Settings { webhooks, ..settings() };
        settings.validate(false).unwrap();
        let error = settings.validate(true).unwrap_err();
        assert!(matches!(error, SettingsError::Webhooks(DialSettingsError::TestOnly(name)) if name == named));
    }
}

#[test]
fn validates_each_section() {
    assert!(matches!(Settings::default().validate(false), Err(SettingsError::Seal(_))));
    let webhooks = DialSettings { timeout_seconds: 0, ..Default::default() };
    assert!(matches!(Settings { webhooks, ..settings() }.validate(false), Err(SettingsError::Webhooks(_))));
    let mut bad = settings();
    bad.mail.from = "nobody".into();
    assert!(matches!(bad.validate(false), Err(SettingsError::Mail(_))));
    let mut bad = settings();
    bad.payments.provider = outbound::payments::ProviderKind::Stripe;
    assert!(matches!(bad.validate(false), Err(SettingsError::Payments(_))));
}

#[test]
fn dial_map_leads_only_to_loopback() {
    for address in
        ["10.0.0.1:443", "0.0.0.0:443", "93.184.216.34:443", "[::ffff:127.0.0.1]:443", "[fe80::1]:443"]
    {
        assert!(DialMap::new([("a.example.com".into(), address.parse().unwrap())]).is_err(), "{address}");
        let text = format!(r#"{{"dial_map":{{"a.example.com":"{address}"}}}}"#);
        assert!(serde_json::from_str::<DialSettings>(&text).is_err(), "{address}");
    }
    let text = r#"{"dial_map":{"A.example.com":"127.0.0.1:8443"},"deny_networks":["203.0.113.0/24"]}"#;
    let read: DialSettings = serde_json::from_str(text).unwrap();
    assert_eq!(read.dial_map, mapped().dial_map);
}

#[test]
fn settings_have_defaults_and_reject_unknown_fields() {
    let read: Settings = serde_json::from_str("{}").unwrap();
    assert_eq!(read.webhooks.timeout_seconds, 10);
    for unknown in [r#"{"webhook":{}}"#, r#"{"webhooks":{"timeout":1}}"#, r#"{"retries":{}}"#] {
        assert!(serde_json::from_str::<Settings>(unknown).is_err(), "{unknown}");
    }
    let shown = format!("{:?} {}", settings(), serde_json::to_string(&settings()).unwrap());
    assert!(!shown.contains(settings().seal.keys[0].key.reveal()));
}
