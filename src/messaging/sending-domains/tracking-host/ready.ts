import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { RequestRefused } from '../../../net/host-guard.ts';
import type { SafeFetch } from '../../../net/safe-fetch.ts';

/** Where a tracking host proves that HTTPS requests to it arrive here; below a path that proxies forward for links. */
export const READY_PATH = '/t/ready';
const NONCE = /^[0-9a-f]{32}$/;

/** A response that only this installation can produce, so that no other server and no cached page passes. null for an invalid nonce. */
export function readyValue(tokenKey: KeyObject, host: string, nonce: string): string | null {
  if (!NONCE.test(nonce)) return null;
  const key = createHmac('sha256', tokenKey).update('tracking host ready').digest();
  return createHmac('sha256', key).update(`${host} ${nonce}`).digest('hex');
}

/**
 * silent: unknown, because the network or the proxy did not respond. wrong: an invalid certificate or another server. `found` says what
 * happened.
 */
export interface Reached {
  state: 'reached' | 'silent' | 'wrong';
  found: string;
}
export type HostProbe = (host: string) => Promise<Reached>;

/** Statuses of a proxy that cannot reach the program, for example while it restarts. */
const AWAY = new Set([502, 503, 504]);
/** OpenSSL and Node errors about the certificate or the handshake. All other errors concern the network. */
const TLS_ERROR = /CERT|TLS|SSL|SIGN(ED|ATURE)|ISSUER|CRL|CHAIN|EPROTO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE/;

/** Requests this installation's value from a host over HTTPS, over the same path that recipients use. */
export function createHostProbe({
  safeFetch,
  tokenKey,
}: {
  safeFetch: Pick<SafeFetch, 'fetch'>;
  tokenKey: KeyObject;
}): HostProbe {
  return async (host) => {
    const nonce = randomBytes(16).toString('hex');
    const url = `https://${host}${READY_PATH}/${nonce}`;
    try {
      const { status, body } = await safeFetch.fetch({ url, method: 'GET', headers: {} });
      if (status === 200 && body?.trim() === readyValue(tokenKey, host, nonce)) return { state: 'reached', found: '' };
      return { state: AWAY.has(status) ? 'silent' : 'wrong', found: `The status ${status} of another page` };
    } catch (error) {
      if (error instanceof RequestRefused) return { state: 'silent', found: error.message };
      const { code, name, message } = error as Error & { code?: unknown };
      const what = typeof code === 'string' ? code : name;
      return { state: TLS_ERROR.test(what) ? 'wrong' : 'silent', found: `${what}: ${message}`.slice(0, 300) };
    }
  };
}
