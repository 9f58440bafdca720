import { isIP } from 'node:net';
import { invalidField } from '../../../errors.ts';
import { normaliseDomain } from '../../../lib/addresses.ts';
import { isLoopback } from '../../send/missing-settings.ts';
import { sendingDomainOf } from '../signing.ts';

/**
 * Returns the name of the installation that tracking hosts point to. null if other machines could not resolve it: then no host is verified
 * or used.
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

/** A verified host with its sending domain. */
export interface ActiveHost {
  domain: string;
  host: string;
}

/**
 * Returns the base URL of a message's links, without a trailing slash: the verified host of the sending domain that equals or contains the
 * domain of the sender's address (the longest of several), or else the public URL. `from`: null for messages without a sender address.
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
