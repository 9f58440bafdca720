import { lookup as systemLookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** The request is not allowed. It was not sent, and a retry would not help. */
export class RequestRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RequestRefused';
  }
}

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<{ address: string; family: number }[]>;

/** Keeps connections to hosts that users name on the public internet (protection from SSRF). */
export interface HostGuard {
  /** Whether private addresses and any port are allowed, for private networks. */
  readonly allowPrivate: boolean;
  /** For sockets: connects to the address that was checked (against DNS rebinding). Not called for an IP address. */
  readonly lookup: LookupFunction;
  /** Throws RequestRefused for an IP address that is not public. The addresses of a host name are checked when it is looked up. */
  requireHost(host: string): void;
}

export function createHostGuard({
  allowPrivate,
  resolve = (hostname) => systemLookup(hostname, { all: true }),
}: {
  allowPrivate: boolean;
  resolve?: Resolve;
}): HostGuard {
  return {
    allowPrivate,
    lookup(hostname, { all }, done) {
      resolve(hostname).then(
        (found) => {
          const bad = allowPrivate ? undefined : found.find(({ address }) => !isPublicAddress(address));
          const [first] = found;
          if (first === undefined) done(new Error(`${hostname} has no address`), '', 0);
          else if (bad !== undefined) done(new RequestRefused(`${hostname} is not on the public internet`), '', 0);
          else if (all) done(null, found);
          else done(null, first.address, first.family);
        },
        (error: Error) => done(error, '', 0),
      );
    },
    requireHost(host) {
      const bare = host.replace(/^\[|\]$/g, '');
      if (allowPrivate || isIP(bare) === 0 || isPublicAddress(bare)) return;
      throw new RequestRefused(`${bare} is not on the public internet`);
    },
  };
}

/** IPv4 ranges that are not public: private, shared, loopback, link-local, documentation, multicast, reserved. */
const NOT_PUBLIC_4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Special-purpose ranges and embedded IPv4 within 2000::/3; everything outside of it, such as mapped addresses, is refused. */
const NOT_PUBLIC_6: [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const refused = new BlockList();
for (const [net, bits] of NOT_PUBLIC_4) refused.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of NOT_PUBLIC_6) refused.addSubnet(net, bits, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address (no name, no brackets) belongs to a host on the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !refused.check(address, 'ipv4');
  // A zone id (fe80::1%eth0) is only valid for link-local addresses.
  if (family !== 6 || address.includes('%')) return false;
  return globalUnicast.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}
