import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-addresses.ts';

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
