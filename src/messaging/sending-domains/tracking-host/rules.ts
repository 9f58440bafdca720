import { isIP } from 'node:net';
import { invalidField } from '../../../errors.ts';
import { normaliseDomain } from '../../../lib/addresses.ts';
import { isLoopback } from '../../gate/missing-settings.ts';
import { sendingDomainOf } from '../signing.ts';

/**
 * The name of the installation that tracking hosts lead to; null where there is none that other machines could find in the DNS, so
 * that no host is verified and none is used.
 */
export function publicHostOf(publicUrl: string | null): string | null {
  if (publicUrl === null || isLoopback(publicUrl)) return null;
  const host = new URL(publicUrl).hostname.toLowerCase().replace(/\.$/, '');
  return isIP(host.replace(/^\[|\]$/g, '')) === 0 && host.includes('.') ? host : null;
}

/** Throws validation_failed. */
export function trackingHostIn(text: string, domain: string, isOwnHost: (host: string) => boolean): string {
  const field = 'tracking_host';
  const host = normaliseDomain(text.replace(/\.$/, ''));
  if (host === null) throw invalidField(field, `${field} must be the name of a host`, 'wrong_format');
  if (!host.endsWith(`.${domain}`)) throw invalidField(field, `${field} must lie below ${domain}`);
  if (isOwnHost(host)) throw invalidField(field, `${host} is a name of this installation itself`, 'taken');
  return host;
}

/** A verified host, with the sending domain that it is of. */
export interface ActiveHost {
  domain: string;
  host: string;
}

/**
 * What the links of a message begin with, without a slash at the end: the verified host of the sending domain that the sender's address
 * is of or below, the longest of several; else the public address. `from`: null for messages that come from no address.
 */
export function createLinkBase(
  origin: () => string,
  publicHost: string | null,
): (company: { trackingHosts: readonly ActiveHost[] }, from: string | null) => string {
  return ({ trackingHosts }, from) => {
    const active = publicHost === null || from === null ? null : sendingDomainOf(trackingHosts, from);
    return active === null ? origin() : `https://${active.host}`;
  };
}
