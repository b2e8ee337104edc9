//! Vets the vectors of `tests/data`, and tests properties that vectors cannot express.

use std::{
    collections::HashSet,
    io,
    net::{IpAddr, SocketAddr},
    sync::Mutex,
};

use async_trait::async_trait;
use outbound::vetting::{AddressClass, Policy, RefusalCode, Resolver, class_of, resolve};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UrlVector {
    input: String,
    verdict: String,
    code: Option<RefusalCode>,
    canonical: Option<String>,
    #[expect(dead_code, reason = "the note is for readers of the data file")]
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddressVector {
    address: IpAddr,
    class: AddressClass,
}

fn lines<T: for<'de> Deserialize<'de>>(text: &str) -> Vec<T> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

fn policy() -> Policy {
    let deny = ["denied.example.net", "*.scan-service.example.org", "bücher.example.org"];
    Policy::new(&deny.map(String::from), vec!["198.41.0.0/24".parse().unwrap()]).unwrap()
}

#[test]
fn vets_every_url_vector() {
    let vectors: Vec<UrlVector> = lines(include_str!("data/webhook_urls.jsonl"));
    assert!(vectors.len() >= 150);
    let policy = policy();
    let mut wrong = Vec::new();
    for vector in &vectors {
        let expected = match (vector.verdict.as_str(), vector.code, &vector.canonical) {
            ("accept", None, Some(canonical)) => Ok(canonical.clone()),
            ("refuse", Some(code), None) => Err(code),
            _ => panic!("{:?} is not a vector", vector.input),
        };
        let found = policy.vet(&vector.input).map(|url| url.to_string()).map_err(|refusal| refusal.code);
        if found != expected {
            wrong.push(format!("{:?}: expected {expected:?}, found {found:?}", vector.input));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), vectors.len(), wrong.join("\n"));

    // All codes that depend only on the form occur.
    let by_address = [RefusalCode::HostUnresolved, RefusalCode::AddressNotPublic];
    let seen: HashSet<_> = vectors.iter().filter_map(|vector| vector.code).collect();
    for code in RefusalCode::ALL {
        assert_ne!(seen.contains(code), by_address.contains(code), "{code}");
    }
}

#[test]
fn classifies_every_address_vector() {
    let vectors: Vec<AddressVector> = lines(include_str!("data/addresses.jsonl"));
    let wrong: Vec<_> = vectors
        .iter()
        .filter(|vector| class_of(vector.address) != vector.class)
        .map(|v| format!("{}: expected {:?}, found {:?}", v.address, v.class, class_of(v.address)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns one of its lists of addresses for each look-up.
struct Scripted(Mutex<Vec<io::Result<Vec<IpAddr>>>>);

impl Scripted {
    fn once(addresses: &[&str]) -> Self {
        Self(Mutex::new(vec![Ok(addresses.iter().map(|a| a.parse().unwrap()).collect())]))
    }
}

#[async_trait]
impl Resolver for Scripted {
    async fn lookup(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        self.0.lock().unwrap().pop().expect("no more look-ups than results")
    }
}

async fn resolved(addresses: &[&str]) -> Result<Vec<SocketAddr>, RefusalCode> {
    let policy = policy();
    let url = policy.vet("https://hooks.example.com/x").unwrap();
    let target = resolve(url, &policy, &Scripted::once(addresses)).await;
    target.map(|target| target.addresses().to_vec()).map_err(|refusal| refusal.code)
}

#[tokio::test]
async fn one_private_address_refuses_the_host() {
    let public = ["93.184.216.34", "2606:4700:4700::1111"];
    let found = resolved(&public).await.unwrap();
    assert_eq!(found, public.map(|a| SocketAddr::new(a.parse().unwrap(), 443)));

    let vectors: Vec<AddressVector> = lines(include_str!("data/addresses.jsonl"));
    for vector in vectors.iter().filter(|vector| vector.class != AddressClass::Public) {
        let bad = vector.address.to_string();
        for addresses in [vec![bad.as_str()], vec![public[0], &bad], vec![&bad, public[1]]] {
            assert_eq!(resolved(&addresses).await, Err(RefusalCode::AddressNotPublic), "{addresses:?}");
        }
    }
}

#[tokio::test]
async fn denied_networks_are_refused() {
    assert_eq!(resolved(&["198.41.0.4"]).await, Err(RefusalCode::AddressNotPublic));
    assert!(resolved(&["198.41.1.4"]).await.is_ok());
}

#[tokio::test]
async fn host_without_addresses_is_refused() {
    assert_eq!(resolved(&[]).await, Err(RefusalCode::HostUnresolved));
    let policy = policy();
    let url = policy.vet("https://hooks.example.com/").unwrap();
    let failing = Scripted(Mutex::new(vec![Err(io::Error::other("no such host"))]));
    let refusal = resolve(url, &policy, &failing).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::HostUnresolved);
    assert!(refusal.may_pass_later());
}

#[tokio::test]
async fn refusals_never_contain_addresses() {
    let policy = policy();
    let url = policy.vet("https://hooks.example.com/").unwrap();
    let refusal = resolve(url, &policy, &Scripted::once(&["10.11.12.13"])).await.unwrap_err();
    let shown = serde_json::to_string(&refusal).unwrap();
    assert!(!shown.contains("10.11") && !shown.contains("rivate"), "{shown}");
}

#[test]
fn rejects_deny_entries_that_are_not_hosts() {
    for entry in ["", ".", "*.", "10.0.0.1", "[::1]", "a b", "https://example.com"] {
        assert!(Policy::new(&[entry.to_owned()], Vec::new()).is_err(), "{entry:?} was accepted");
    }
}

proptest! {
    /// Every accepted URL is https with a dotted ASCII host, without port and user info; vetting
    /// its canonical form again returns the same.
    #[test]
    fn accepts_only_plain_https_urls(text in prop_oneof![
        "(https://)?[ -~éß。１/:@?#.\\[\\]%]{0,60}(\\.com|/)?.{0,4}",
        "(https|HTTPS)://[a-zA-Zéß１3-]{1,9}[.。](com|ÇOM|org)(:443|:)?/[a-zä@:?&=%.]{0,20}",
    ]) {
        let policy = policy();
        if let Ok(url) = policy.vet(&text) {
            let start = format!("https://{}/", url.host());
            prop_assert!(url.as_str().starts_with(&start));
            prop_assert!(url.host().contains('.') && !url.host().ends_with('.'));
            prop_assert!(url.host().bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.'));
            prop_assert!(url.host().parse::<IpAddr>().is_err());
            prop_assert_eq!(policy.vet(url.as_str()), Ok(url.clone()));
        }
    }

    /// No IPv4 address passes inside an IPv6 address.
    #[test]
    fn ipv6_address_with_embedded_ipv4_is_never_public(v4 in any::<u32>(), prefix in any::<u32>()) {
        let low = u128::from(v4);
        let isatap = (u128::from(0x2a00_0000 | (prefix & 0xff_ffff)) << 96) | (0x5efe << 32) | low;
        for address in [low, (0xffff << 32) | low, (0x0064_ff9b << 96) | low, (0x2002 << 112) | (low << 80), isatap] {
            prop_assert_ne!(class_of(IpAddr::V6(address.into())), AddressClass::Public);
        }
    }
}
