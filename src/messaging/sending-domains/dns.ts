import { Resolver } from 'node:dns/promises';

/** The DNS did not respond in time, or with a failure that says nothing of the record. */
export class DnsUnreachable extends Error {}

export interface Dns {
  /** The TXT records at a name, the strings of each joined; none where there is no such name. Throws DnsUnreachable. */
  txt(name: string): Promise<string[]>;
  /** The name that a name is another one for, lower case; null where it is none. Throws DnsUnreachable. */
  cname(name: string): Promise<string | null>;
}

export interface DnsOptions {
  /** `address` or `address:port`; those of the machine where empty. */
  servers: readonly string[];
  /** Milliseconds that one question may take, its repetitions included. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 4_000;
const NO_RECORD = new Set(['ENOTFOUND', 'ENODATA']);

/** Asks the DNS itself, never the hosts file, without a thread of its own. */
export function createDns({ servers, timeoutMs = TIMEOUT_MS }: DnsOptions): Dns {
  /** null where there is no such record. */
  async function ask<Records>(
    name: string,
    question: (resolver: Resolver) => Promise<Records>,
  ): Promise<Records | null> {
    // One each: `cancel` ends all questions of a resolver.
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
