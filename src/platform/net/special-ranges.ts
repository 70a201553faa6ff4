// What of the address space is not the public internet, from IANA's special-purpose registries
// (iana-ipv4-special-registry, iana-ipv6-special-registry), also where they say "globally reachable":
// no picture lives in protocol plumbing. Then public space that clouds route to their own insides.

export const specialIPv4: readonly [range: string, what: string][] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier-grade NAT'], // holds 100.100.100.200, the metadata of Alibaba Cloud
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'], // holds 169.254.169.254, the metadata of most clouds
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments'], // holds 192.0.0.192, the metadata of Oracle Cloud
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'multicast tunnelling'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'], // holds the limited broadcast, 255.255.255.255
  ['168.63.129.16/32', 'cloud insides'], // Azure's host agent
  ['161.26.0.0/16', 'cloud insides'], // IBM Cloud's service network
  ['166.8.0.0/14', 'cloud insides'], // IBM Cloud's private endpoints
]

/** IPv6 is public only inside this range, and there only outside the special ones. */
export const globalUnicast = '2000::/3'

// The forms that carry an IPv4 address are refused whatever is inside: a public one has a plain spelling,
// and where a gateway unwraps them is not ours to know.
export const specialIPv6: readonly [range: string, what: string][] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::/96', 'IPv4-compatible'],
  ['::ffff:0:0/96', 'IPv4-mapped'],
  ['::ffff:0:0:0/96', 'IPv4-translated'],
  ['64:ff9b::/96', 'NAT64'],
  ['64:ff9b:1::/48', 'NAT64'],
  ['100::/64', 'discard-only'],
  ['100:0:0:1::/64', 'dummy prefix'],
  ['2001::/32', 'Teredo'],
  ['2001::/23', 'protocol assignments'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3ffe::/16', 'retired 6bone'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'segment routing'],
  ['fc00::/7', 'unique local'], // holds fd00:ec2::254 and fd20:ce::254, the metadata of AWS and Google Cloud
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'retired site-local'],
  ['ff00::/8', 'multicast'],
]

/** Ends of names that no public host has (RFC 6761, 6762, 7686, 8375, 9476, or never delegated); DNS is not asked. */
export const specialNames: readonly string[] = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'lan',
  'home.arpa',
  'onion',
  'alt',
  'test',
]
