//! Free ports on loopback.

use std::net::{Ipv4Addr, TcpListener};

/// Ports that are free now, all different: they are held together before the first is let go.
///
/// # Panics
/// When the system has none left.
pub fn free<const N: usize>() -> [u16; N] {
    let held: [TcpListener; N] =
        std::array::from_fn(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port"));
    std::array::from_fn(|i| held[i].local_addr().expect("a bound port").port())
}
