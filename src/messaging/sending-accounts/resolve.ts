import { Resolver } from 'node:dns/promises';
import type { Resolve } from '../../net/host-guard.ts';

/** Milliseconds for each of two attempts. */
const TIMEOUT_MS = 2_000;

/**
 * Queries the DNS servers directly. The system resolver shares four threads with file access and all other look-ups of the process: a
 * company whose DNS is dead would occupy them.
 */
export function createResolve(servers: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const of = (found: PromiseSettledResult<string[]>, family: 4 | 6) =>
      found.status === 'fulfilled' ? found.value.map((address) => ({ address, family })) : [];
    const addresses = [...of(v4, 4), ...of(v6, 6)];
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
    return addresses;
  };
}
