import { Resolver } from 'node:dns/promises';

/** The DNS did not respond in time, or failed in a way that says nothing about the record. */
export class DnsUnreachable extends Error {}

export interface Dns {
  /** Returns the TXT records at a name, each with its strings joined; empty if the name does not exist. Throws DnsUnreachable. */
  txt(name: string): Promise<string[]>;
  /** Returns the target of the name's CNAME in lower case; null if there is none. Throws DnsUnreachable. */
  cname(name: string): Promise<string | null>;
}

export interface DnsOptions {
  /** `address` or `address:port`; the machine's servers if empty. */
  servers: readonly string[];
  /** Milliseconds for one query, including its retries. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 4_000;
const NO_RECORD = new Set(['ENOTFOUND', 'ENODATA']);

/** Queries the DNS directly, never the hosts file, and without using a thread. */
export function createDns({ servers, timeoutMs = TIMEOUT_MS }: DnsOptions): Dns {
  /** Returns null if there is no such record. */
  async function ask<Records>(
    name: string,
    question: (resolver: Resolver) => Promise<Records>,
  ): Promise<Records | null> {
    // One resolver per query: `cancel` ends all queries of a resolver.
    const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 });
    if (servers.length > 0) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), timeoutMs);
    try {
      return await question(resolver);
    } catch (error) {
      const { code = 'no response' } = error as { code?: string };
      if (NO_RECORD.has(code)) return null;
      throw new DnsUnreachable(`The DNS did not respond for ${name} (${code})`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async txt(name) {
      const records = await ask(name, (resolver) => resolver.resolveTxt(name));
      return (records ?? []).map((strings) => strings.join(''));
    },
    async cname(name) {
      const [target] = (await ask(name, (resolver) => resolver.resolveCname(name))) ?? [];
      return target?.toLowerCase().replace(/\.$/, '') ?? null;
    },
  };
}
