//! Free ports on loopback.

use std::{
    net::{Ipv4Addr, TcpListener},
    sync::atomic::{AtomicU32, Ordering},
};

/// Below the ports that systems give to outgoing connections, so that none takes one of ours between
/// our look and the start of whoever is to have it.
const FIRST: u32 = 20_000;
const COUNT: u32 = 12_000;

/// How many were looked at. Each is given once in a process; processes begin at different places.
static LOOKED_AT: AtomicU32 = AtomicU32::new(0);

/// Ports that are free now, all different.
///
/// # Panics
/// When there is none left.
pub fn free<const N: usize>() -> [u16; N] {
    std::array::from_fn(|_| next())
}

fn next() -> u16 {
    let begin = std::process::id().wrapping_mul(97);
    (0..COUNT)
        .map(|_| FIRST + begin.wrapping_add(LOOKED_AT.fetch_add(1, Ordering::Relaxed)) % COUNT)
        .filter_map(|port| u16::try_from(port).ok())
        .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .expect("a free port")
}
