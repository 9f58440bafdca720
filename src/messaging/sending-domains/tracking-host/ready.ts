import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { RequestRefused } from '../../../outbox/host-guard.ts';
import type { SafeFetch } from '../../../outbox/safe-fetch.ts';

/** Where a tracking host shows that requests by https to it arrive here; below a path that proxies pass on for links. */
export const READY_PATH = '/t/ready';
const NONCE = /^[0-9a-f]{32}$/;

/** What this installation alone responds there: neither a page of another server nor a stored one passes. null for no nonce. */
export function readyValue(tokenKey: KeyObject, host: string, nonce: string): string | null {
  if (!NONCE.test(nonce)) return null;
  const key = createHmac('sha256', tokenKey).update('tracking host ready').digest();
  return createHmac('sha256', key).update(`${host} ${nonce}`).digest('hex');
}

/**
 * silent: nothing is known, for the network or the proxy did not respond. wrong: without a valid certificate, or another server.
 * `found` says what happened.
 */
export interface Reached {
  state: 'reached' | 'silent' | 'wrong';
  found: string;
}
export type HostProbe = (host: string) => Promise<Reached>;

/** Statuses of a proxy that does not reach the program, as while it restarts. */
const AWAY = new Set([502, 503, 504]);
/** Of OpenSSL and of Node, for the certificate or the handshake. All other errors are of the network. */
const TLS_ERROR = /CERT|TLS|SSL|SIGN(ED|ATURE)|ISSUER|CRL|CHAIN|EPROTO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE/;

/** Asks a host by https, on the way that recipients take, for the value of this installation. */
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
