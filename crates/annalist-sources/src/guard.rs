//! Which addresses may be dialled. A non-public address is refused unless the spec allows its network by name.
//! Where the address came from does not matter here: every dial is vetted, on every hop.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// An address that must not be dialled, and what kind of address it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{address} is {kind}; allow its network in the spec to crawl it")]
pub struct Refused {
    pub address: IpAddr,
    pub kind: &'static str,
}

#[derive(Clone, Debug, Default)]
pub struct Guard {
    allow: Vec<IpNet>,
}

impl Guard {
    pub fn new(allow: &[IpNet]) -> Guard {
        Guard { allow: allow.to_vec() }
    }

    pub fn vet(&self, address: IpAddr) -> Result<(), Refused> {
        let Some(kind) = non_public(address) else { return Ok(()) };
        // The kernel dials a mapped address as the IPv4 address inside it, so the spec's IPv4 networks hold it too.
        let canonical = address.to_canonical();
        match self.allow.iter().any(|net| net.contains(&address) || net.contains(&canonical)) {
            true => Ok(()),
            false => Err(Refused { address, kind }),
        }
    }
}

fn non_public(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(v4) => non_public_v4(v4),
        IpAddr::V6(v6) => non_public_v6(v6),
    }
}

/// The special-purpose registry of IPv4 (RFC 6890 and its successors).
fn non_public_v4(address: Ipv4Addr) -> Option<&'static str> {
    Some(match address.octets() {
        [0, ..] => "this network",
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "private",
        [100, 64..=127, ..] => "shared by a carrier",
        [127, ..] => "loopback",
        [169, 254, ..] => "link-local",
        [192, 0, 0, _] => "reserved for protocols",
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => "for documentation",
        [192, 88, 99, _] => "a 6to4 relay",
        [198, 18..=19, ..] => "for benchmarks",
        [224..=239, ..] => "multicast",
        [255, 255, 255, 255] => "broadcast",
        [240..=255, ..] => "reserved",
        _ => return None,
    })
}

/// The special-purpose registry of IPv6. Addresses that carry an IPv4 address are judged by it.
fn non_public_v6(address: Ipv6Addr) -> Option<&'static str> {
    let s = address.segments();
    match s {
        [0, 0, 0, 0, 0, 0, 0, 0] => return Some("unspecified"),
        [0, 0, 0, 0, 0, 0, 0, 1] => return Some("loopback"),
        // IPv4-mapped, IPv4-compatible and NAT64.
        [0, 0, 0, 0, 0, 0xffff | 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            return non_public_v4(embedded(high, low));
        }
        // 6to4.
        [0x2002, high, low, ..] => return non_public_v4(embedded(high, low)),
        _ => {}
    }
    Some(match s[0] {
        0x0064 if s[1] == 0xff9b => "translated inside a network",
        0x0100 if s[1..4] == [0, 0, 0] => "discarded",
        0x2001 if s[1] == 0 => "a Teredo tunnel",
        0x2001 if s[1] < 0x200 => "reserved for protocols",
        0x2001 if s[1] == 0xdb8 => "for documentation",
        0x3fff if s[1] < 0x1000 => "for documentation",
        0x5f00 => "a routing segment",
        0xfc00..=0xfdff => "private",
        0xfe80..=0xfebf => "link-local",
        0xfec0..=0xfeff => "site-local",
        0xff00..=0xffff => "multicast",
        // Only 2000::/3 is given out to the public Internet.
        0x2000..=0x3fff => return None,
        _ => "reserved",
    })
}

fn embedded(high: u16, low: u16) -> Ipv4Addr {
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    Ipv4Addr::new(a, b, c, d)
}

#[cfg(test)]
mod tests {
    use super::Guard;
    use proptest::prelude::*;
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

    fn vet(allow: &[&str], address: &str) -> bool {
        let nets: Vec<_> = allow.iter().map(|n| n.parse().unwrap()).collect();
        Guard::new(&nets).vet(address.parse().unwrap()).is_ok()
    }

    #[test]
    fn every_non_public_ipv4_network_is_refused_from_its_first_to_its_last_address() {
        for (first, last) in [
            ("0.0.0.0", "0.255.255.255"),
            ("10.0.0.0", "10.255.255.255"),
            ("100.64.0.0", "100.127.255.255"),
            ("127.0.0.0", "127.255.255.255"),
            ("169.254.0.0", "169.254.255.255"),
            ("172.16.0.0", "172.31.255.255"),
            ("192.0.0.0", "192.0.0.255"),
            ("192.0.2.0", "192.0.2.255"),
            ("192.88.99.0", "192.88.99.255"),
            ("192.168.0.0", "192.168.255.255"),
            ("198.18.0.0", "198.19.255.255"),
            ("198.51.100.0", "198.51.100.255"),
            ("203.0.113.0", "203.0.113.255"),
            ("224.0.0.0", "239.255.255.255"),
            ("240.0.0.0", "255.255.255.255"),
        ] {
            assert!(!vet(&[], first), "{first}");
            assert!(!vet(&[], last), "{last}");
        }
    }

    #[test]
    fn the_neighbours_of_non_public_ipv4_networks_are_public() {
        for address in [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "198.51.99.255",
            "198.51.101.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
        ] {
            assert!(vet(&[], address), "{address}");
        }
    }

    #[test]
    fn every_non_public_ipv6_network_is_refused() {
        for address in [
            "::",
            "::1",
            "::2:3:4:5",
            "64:ff9b:1::1",
            "100::",
            "100::ffff:ffff:ffff:ffff",
            "100:0:0:1::1",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            "3fff::1",
            "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "feff::1",
            "ff02::1",
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        ] {
            assert!(!vet(&[], address), "{address}");
        }
    }

    #[test]
    fn public_ipv6_addresses_pass() {
        for address in ["2001:4860:4860::8888", "2a00:1450::1", "2600::1", "2001:200::1", "3fff:1000::1"] {
            assert!(vet(&[], address), "{address}");
        }
    }

    #[test]
    fn an_address_that_carries_an_ipv4_address_is_judged_by_it() {
        for (shape, public) in [
            ("::ffff:127.0.0.1", false),
            ("::ffff:8.8.8.8", true),
            ("::127.0.0.1", false),
            ("::8.8.8.8", true),
            ("64:ff9b::10.0.0.1", false),
            ("64:ff9b::8.8.8.8", true),
            ("2002:7f00:1::", false),
            ("2002:c0a8:101::1", false),
            ("2002:808:808::1", true),
        ] {
            assert_eq!(vet(&[], shape), public, "{shape}");
        }
    }

    #[test]
    fn a_network_of_the_spec_is_allowed_and_no_other() {
        assert!(vet(&["127.0.0.0/8"], "127.3.2.1"));
        assert!(vet(&["127.0.0.0/8"], "::ffff:127.0.0.1"));
        assert!(!vet(&["127.0.0.0/8"], "10.0.0.1"));
        assert!(!vet(&["127.0.0.0/8"], "::1"));
        assert!(!vet(&["127.0.0.0/8"], "64:ff9b::127.0.0.1"));
        assert!(vet(&["fd00::/8"], "fd12::1"));
        assert!(!vet(&["fd00::/8"], "fc12::1"));
    }

    #[test]
    fn a_refusal_names_the_address_and_its_kind() {
        let refused = Guard::default().vet(IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap_err();
        assert_eq!(refused.to_string(), "127.0.0.1 is loopback; allow its network in the spec to crawl it");
    }

    proptest! {
        /// The standard library's own classes, as far as they are stable, are a second opinion.
        #[test]
        fn nothing_the_standard_library_calls_special_passes(octets in any::<[u8; 4]>(), high in any::<[u8; 16]>()) {
            let v4 = Ipv4Addr::from(octets);
            let special = v4.is_loopback() || v4.is_private() || v4.is_link_local() || v4.is_multicast()
                || v4.is_broadcast() || v4.is_documentation() || v4.is_unspecified();
            prop_assert!(!special || Guard::default().vet(v4.into()).is_err());
            prop_assert_eq!(
                Guard::default().vet(v4.to_ipv6_mapped().into()).is_ok(),
                Guard::default().vet(v4.into()).is_ok()
            );
            let v6 = Ipv6Addr::from(high);
            let special = v6.is_loopback() || v6.is_multicast() || v6.is_unspecified()
                || v6.is_unique_local() || v6.is_unicast_link_local();
            prop_assert!(!special || Guard::default().vet(v6.into()).is_err());
        }
    }
}
