//! Free ports on loopback.

use std::{
    net::{Ipv4Addr, TcpListener},
    sync::atomic::{AtomicU32, Ordering},
};

/// First port of the range. The range is below the ports of outgoing connections, so the system
/// doesn't take a port between the check and the start of the server.
const FIRST_PORT: u32 = 20_000;
/// Number of ports in the range.
const PORT_COUNT: u32 = 12_000;

/// Number of ports tried so far. A process tries each port once; different processes start at
/// different ports.
static PORTS_TRIED: AtomicU32 = AtomicU32::new(0);

/// Returns ports that are free at the moment, all different.
///
/// # Panics
/// Panics if no port is free.
pub fn free<const N: usize>() -> [u16; N] {
    std::array::from_fn(|_| next())
}

fn next() -> u16 {
    let offset = std::process::id().wrapping_mul(97);
    (0..PORT_COUNT)
        .map(|_| FIRST_PORT + offset.wrapping_add(PORTS_TRIED.fetch_add(1, Ordering::Relaxed)) % PORT_COUNT)
        .filter_map(|port| u16::try_from(port).ok())
        .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .expect("a free port")
}
