import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { Config } from '../../config.ts';

/** Names by which this machine refers to itself. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1', '::ffff:127.0.0.1']);
/** Cached results by header value: clients only send a handful of names. */
const MAX_KNOWN = 1_000;

/** Hosts of companies that point here: only their links are served there. */
export interface TrackingHosts {
  /** Returns the companies whose links the host serves; undefined for none. Only reads memory. */
  holdersOf(host: string): ReadonlySet<number> | undefined;
}

/**
 * Whether a request may name this host. A page of another site can make its own name resolve to this machine (DNS rebinding) and then
 * counts as same-origin, but the name that the browser sends reveals it. IP addresses cannot be rebound: without TRADELOOM_HOSTS all are
 * accepted, so that a fresh installation can be reached in its own network.
 */
export function createHostCheck(config: Pick<Config, 'hosts' | 'publicUrl' | 'host'>): (header: string) => boolean {
  const names = new Set([...LOOPBACK, config.host.toLowerCase(), ...config.hosts.filter((name) => !isWildcard(name))]);
  if (config.publicUrl !== null) names.add(bare(new URL(config.publicUrl).hostname.toLowerCase()));
  const suffixes = config.hosts.filter(isWildcard).map((name) => name.slice(1));
  const anyAddress = config.hosts.length === 0;
  if (anyAddress) names.add(hostname().toLowerCase());
  const known = new Map<string, boolean>();

  function check(header: string): boolean {
    const name = nameOf(header);
    if (name === null) return false;
    return names.has(name) || (anyAddress && isIP(name) !== 0) || suffixes.some((suffix) => name.endsWith(suffix));
  }

  return (header) => {
    const before = known.get(header);
    if (before !== undefined) return before;
    const allowed = check(header);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(header, allowed);
    return allowed;
  };
}

function isWildcard(name: string): boolean {
  return name.startsWith('*.');
}

/** Returns the name in `name:port` in lower case; null if it is not a valid host. */
export function nameOf(header: string): string | null {
  const [, bracketed, plain] = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::\d{1,5})?$/.exec(header) ?? [];
  const name = bracketed ?? plain?.replace(/\.$/, '');
  return name ? name.toLowerCase() : null;
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
