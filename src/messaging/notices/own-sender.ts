import { isIP } from 'node:net';
import type { Config } from '../../config.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import type { NamedAddress } from '../compose/mime/email-content.ts';

const NAME = 'Tradeloom';
/** A reserved name (RFC 2606), where nothing says who sends. */
const NOBODY = 'admin@tradeloom.example';

/**
 * Returns the installation's own sender. No company can choose it, so none can read what bounces or is replied to: the parameter `from` of
 * SMTP_URL, or its user if that is an e-mail address, or an address at the public host.
 */
export function ownSender({ smtpUrl, publicUrl }: Pick<Config, 'smtpUrl' | 'publicUrl'>): NamedAddress {
  const server = smtpUrl === null ? null : URL.parse(smtpUrl);
  const given = server?.searchParams.get('from') ?? decodeURIComponent(server?.username ?? '');
  const host = publicUrl === null ? '' : new URL(publicUrl).hostname;
  const isName = host.includes('.') && isIP(host.replace(/^\[|\]$/g, '')) === 0;
  return { name: NAME, address: normaliseEmail(given) ?? (isName ? `tradeloom@${host}` : NOBODY) };
}
