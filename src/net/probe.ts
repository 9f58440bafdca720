import { Agent, request } from 'undici';
import { type HostGuard, RequestRefused } from './host-guard.ts';
import { allowedUrl } from './safe-fetch.ts';

/** Checks whether addresses given by users respond. Like all requests to such addresses, probes reach public addresses only. */

export const UNREACHABLE = [
  ...(['unknown_host', 'refused', 'timed_out', 'certificate', 'not_public', 'redirects', 'failed'] as const),
] as const;
export type Unreachable = (typeof UNREACHABLE)[number];

export type Probed =
  | {
      status: number;
      /** The media type without its parameters, lower case; '' where none is given. */
      type: string;
      /** Length of the whole body according to the response; null if it does not say. */
      bytes: number | null;
      unreachable?: undefined;
    }
  | { unreachable: Unreachable }
  /** It redirects to an address that is not to be called. */
  | { redirectsTo: string; unreachable?: undefined };

export interface Probe {
  /**
   * Follows redirects to addresses that may be called, and checks each like the first. Takes at most 5 seconds in all. Never throws because
   * of what the other side does.
   */
  probe(url: string, signal: AbortSignal, mayCall?: (address: string) => boolean): Promise<Probed>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 5_000;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const HEADERS = { 'user-agent': 'Tradeloom link check', accept: '*/*' };

/** Has connections of its own, so that slow probes hold up nothing else. */
export function createProbe(guard: HostGuard, { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {}): Probe {
  const agent = new Agent({
    connect: { lookup: guard.lookup, timeout: timeoutMs },
    // The other side may only shorten the keep-alive: nothing else bounds how many connections stay open.
    connections: 6,
    keepAliveTimeout: 1_000,
    keepAliveMaxTimeout: 1_000,
    maxHeaderSize: 16_384,
  });

  async function ask(url: URL, method: 'HEAD' | 'GET', signal: AbortSignal) {
    const response = await request(url, { method, headers: HEADERS, dispatcher: agent, signal });
    const { statusCode: status, headers, body } = response;
    // Only status and headers are needed. Aborting the rest of the transfer is reported as an error of the body, which is ignored.
    body.once('error', () => {}).destroy();
    const length = Number(headers['content-length'] ?? Number.NaN);
    return {
      status,
      location: REDIRECTS.has(status) ? headers.location : undefined,
      type: String(headers['content-type'] ?? '')
        .split(';')[0]!
        .trim()
        .toLowerCase(),
      bytes: Number.isSafeInteger(length) && length >= 0 ? length : null,
    };
  }

  /** Some servers do not support HEAD, refuse it or end the connection: the result of HEAD counts only if it is good. */
  async function askEither(url: URL, signal: AbortSignal) {
    try {
      const head = await ask(url, 'HEAD', signal);
      if (head.status < 400) return head;
    } catch (error) {
      if (unreachableOf(error) !== 'failed') throw error;
    }
    return ask(url, 'GET', signal);
  }

  async function follow(first: string, signal: AbortSignal, mayCall: (address: string) => boolean): Promise<Probed> {
    let url = allowedUrl(first, guard, true);
    for (let n = 0; n <= MAX_REDIRECTS; n++) {
      const { location, ...found } = await askEither(url, signal);
      if (location === undefined || !URL.canParse(String(location), url.href)) return found;
      const next = new URL(String(location), url).href;
      if (!mayCall(next)) return { redirectsTo: next };
      url = allowedUrl(next, guard, true);
    }
    return { unreachable: 'redirects' };
  }

  return {
    async probe(url, signal, mayCall = () => true) {
      try {
        return await follow(url, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]), mayCall);
      } catch (error) {
        return { unreachable: unreachableOf(error) };
      }
    },
    close: () => agent.destroy(),
  };
}

const CODES: Record<string, Unreachable> = {
  ENOTFOUND: 'unknown_host',
  ENODATA: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  ESERVFAIL: 'unknown_host',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  UND_ERR_CONNECT_TIMEOUT: 'timed_out',
  ETIMEDOUT: 'timed_out',
  ETIMEOUT: 'timed_out',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate',
  CERT_HAS_EXPIRED: 'certificate',
};

function unreachableOf(error: unknown): Unreachable {
  if (error instanceof RequestRefused) return 'not_public';
  const { name, code, syscall } = error as { name?: string; code?: string; syscall?: string };
  if (name === 'TimeoutError' || name === 'AbortError') return 'timed_out';
  // The DNS server refused, not the host that was looked up.
  if (code === 'ECONNREFUSED' && syscall?.startsWith('query')) return 'failed';
  return CODES[code ?? ''] ?? 'failed';
}
