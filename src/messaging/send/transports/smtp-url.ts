import { normaliseEmail } from '../../../lib/addresses.ts';
import type { SmtpServer } from './smtp-connection.ts';

const PARAMETERS = ['tls', 'connections', 'rate', 'batch', 'from'];
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Throws if the URL is unusable; the error does not contain the password. */
export function parseSmtpUrl(text: string): Pick<SmtpServer, 'host' | 'port' | 'tls' | 'auth'> {
  const url = URL.parse(text);
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || !url.hostname) {
    throw new Error('SMTP_URL must look like smtp://user:password@host:587 or smtps://user:password@host:465');
  }
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) {
    // Behind a question mark in a password that is not encoded stands the rest of it.
    const name = /^\w+$/.test(unknown) ? unknown : 'of that name';
    throw new Error(`SMTP_URL has no parameter ${name}: there are ${PARAMETERS.join(', ')}`);
  }
  const from = url.searchParams.get('from');
  if (from !== null && normaliseEmail(from) === null) {
    throw new Error('The from parameter of SMTP_URL must be an e-mail address');
  }
  const implicit = url.protocol === 'smtps:';
  const auth = url.username ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } : null;
  const tls = url.searchParams.get('tls') ?? (auth && !LOOPBACK.has(url.hostname) ? 'required' : 'offered');
  if (tls !== 'required' && tls !== 'offered' && tls !== 'off') {
    throw new Error('The tls parameter of SMTP_URL must be required, offered or off');
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (implicit ? 465 : 587),
    tls: implicit ? 'implicit' : tls,
    auth,
  };
}
