import { createHash, type KeyObject } from 'node:crypto';
import { createTextCache } from '../../../lib/text-cache.ts';
import { LONGEST_REST, readLinkName, signToken, writeRest } from '../../consent/tokens.ts';
import type { NewLink } from '../queries.ts';
import { insertAtEnd, rewriteAddresses, schemeOf, withScheme } from './html.ts';

/** How the links of one mail are tracked. If clicks are not, links lead directly to their targets. */
export interface Tracking {
  /** Base URL of the public pages, without a trailing slash. */
  base: string;
  /** The token of this mail. */
  token: string;
  clicks: boolean;
  opens: boolean;
}

/** Returns the name that replaces a link's target, if it is known. */
export type NameOf = (link: NewLink) => string | undefined;

/** One rendered mail. */
export interface TrackedPage {
  companyId: number;
  messageId: number;
  html: string;
  /** Its template, which shows what addresses that differ by recipient have in common. */
  template: string;
}

/** Returns the mail with the open pixel and with links through the redirect. Links without a name stay unchanged. */
export function trackPage(page: TrackedPage, tracking: Tracking, tokenKey: KeyObject, nameOf: NameOf): string {
  const { companyId, messageId, template } = page;
  const addresses = addressesOf(template);

  function nameFor(address: string): string | undefined {
    const personal = addresses.personal(address);
    if (personal === null) return nameOf(linkTo(address));
    if (personal.rest.length > LONGEST_REST) return undefined;
    const name = nameOf(linkBehind(personal));
    if (name === undefined || personal.rest === '') return name;
    const owner = { companyId, messageId, linkId: readLinkName(tokenKey, companyId, name)! };
    return `${name}/${writeRest(tokenKey, owner, personal.rest)}`;
  }

  const html = rewriteAddresses(page.html, (address, followed) => trackedAddress(address, followed, tracking, nameFor));
  return tracking.opens ? insertAtEnd(html, pixelOf(tracking)) : html;
}

/** Returns the token of a mail, which its links and its pixel contain. */
export function mailToken(tokenKey: KeyObject, companyId: number, messageId: number): string {
  return signToken(tokenKey, 'message', { companyId, subject: messageId, detail: 0 });
}

const ALLOWED = new Set(['http', 'https', 'mailto', 'tel', 'sms', '']);
const MAX_URL = 8_000;

/**
 * Returns the replacement of an address in a mail; null leaves it unchanged. One with a scheme that no mail program should follow becomes
 * `#`. `nameFor` returns the name of a valid address, if it is known.
 */
export function trackedAddress(
  written: string,
  followed: boolean,
  { base, token, clicks }: Omit<Tracking, 'opens'>,
  nameFor: (address: string) => string | undefined,
): string | null {
  const address = withScheme(written);
  const untracked = address === written ? null : address;
  const scheme = schemeOf(address);
  if (!ALLOWED.has(scheme)) return '#';
  if (!followed || !clicks || !scheme.startsWith('http')) return untracked;
  if (address.length > MAX_URL || address.startsWith(`${base}/u/`) || !URL.canParse(address)) return untracked;
  const name = nameFor(address);
  return name === undefined ? untracked : `${base}/t/c/${token}/${name}`;
}

/** Returns the image that reports an open. */
export function pixelOf({ base, token }: Pick<Tracking, 'base' | 'token'>): string {
  return `<img src="${base}/t/o/${token}" width="1" height="1" alt="" style="display:block;border:0">`;
}

/** The footer of a marketing mail that has no other unsubscribe link. */
export function footerOf(unsubscribeUrl: string): string {
  return `<p style="font:12px sans-serif;color:#666;text-align:center"><a href="${unsubscribeUrl}">Unsubscribe</a></p>`;
}

/** Returns the row of an address that is the same in every mail. */
export function linkTo(url: string): NewLink {
  return { url, prefix: null, hash: createHash('sha256').update(url).digest() };
}

/** Returns the one row of an address that differs by recipient. */
function linkBehind({ prefix, shown }: PersonalAddress): NewLink {
  return { url: shown, prefix, hash: createHash('sha256').update(`personal\0${prefix}\0${shown}`).digest() };
}

/** The origin of a rendered address: the part common to all recipients and the part specific to this one. */
interface PersonalAddress {
  /** At least scheme and authority, so that nothing after it can lead to another server. */
  prefix: string;
  /** As written in the template; shown in reports. */
  shown: string;
  rest: string;
}

/** The addresses of one template. */
interface TemplateAddresses {
  /** null: the address is the same in every mail, or not a web address. */
  personal(address: string): PersonalAddress | null;
}

const LIQUID = /\{\{|\{%/;
/** Everything up to the end of the authority. A backslash ends it too: browsers treat it as a slash. */
const AUTHORITY = /^https?:\/\/[^/?#\\]+/i;
const WHOLE_AUTHORITY = /^https?:\/\/[^/?#\\]+[/?#]/i;

const known = createTextCache<TemplateAddresses>(500, 16_000_000);

/** Parses the HTML with its Liquid once for all mails rendered from it. */
export function addressesOf(template: string): TemplateAddresses {
  let addresses = known.get(template);
  if (addresses === undefined) {
    addresses = readAddresses(template);
    known.set(template, addresses, { size: template.length + 1_000 });
  }
  return addresses;
}

function readAddresses(template: string): TemplateAddresses {
  const fixed = new Set<string>();
  const patterns = new Map<string, string>();
  const whole = new Set<string>();
  rewriteAddresses(template, (written) => {
    const address = withScheme(written);
    const at = address.search(LIQUID);
    if (at < 0) fixed.add(address);
    else if (WHOLE_AUTHORITY.test(address.slice(0, at))) patterns.set(address.slice(0, at), address);
    else if (at === 0) whole.add(address);
    return null;
  });
  const prefixes = [...patterns.keys()].sort((one, other) => other.length - one.length);
  const [only] = whole.size === 1 ? whole : ['/…'];
  return {
    personal(address) {
      if (fixed.has(address)) return null;
      const authority = AUTHORITY.exec(address)?.[0];
      if (authority === undefined) return null;
      const found = prefixes.find((prefix) => address.startsWith(prefix));
      const prefix = found ?? authority;
      const shown = found === undefined ? `${authority}${only}` : patterns.get(found)!;
      return { prefix, shown, rest: address.slice(prefix.length) };
    },
  };
}
