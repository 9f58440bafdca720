import { domainToASCII } from 'node:url';
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { createTextCache } from './text-cache.ts';

/**
 * A dot-atom (RFC 5322) in ASCII. Quoted and non-ASCII local parts are refused, as web browsers refuse them; before they
 * are put in lower case, where the sign of Kelvin would become a k, and an address another person's.
 */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** What would make a URL parser cut, decode or split the text instead of refusing it. */
const NOT_A_DOMAIN = /[\s/\\?#%:@[\]<>,;"()]/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The address in the form under which it is stored and compared: trimmed, lower case, an international domain in its
 * ASCII form. Null for what no mail server would take, and for the few shapes that only a server would (quoted local
 * parts, domains without a dot, address literals).
 */
export function normaliseEmail(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.length > 254) return null;
  const at = trimmed.indexOf('@');
  const local = trimmed.slice(0, Math.max(at, 0));
  const domain = normaliseDomain(trimmed.slice(at + 1));
  if (at < 1 || local.length > 64 || !LOCAL_PART.test(local) || domain === null) return null;
  const address = `${local.toLowerCase()}@${domain}`;
  return address.length <= 254 ? address : null;
}

/** Without line ends and other control characters, which could end a header. */
export function isOneLine(text: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(text);
}

export interface Sender {
  /** '' where none is given. */
  name: string;
  address: string;
}

/** `Name <address>` or an address alone; null for what could stand in no From header. */
export function readSender(text: string): Sender | null {
  const match = /^([^<>]*)<([^<>]+)>\s*$/.exec(text);
  const name = (match?.[1] ?? '').replace(/"/g, '').trim();
  const address = normaliseEmail(match?.[2] ?? text);
  return address !== null && isOneLine(name) ? { name, address } : null;
}

/** Most addresses are at a few domains: what those come to is kept, '' for what is none. */
const domains = createTextCache<string>(1_000, 64 * 1024);

/** In its ASCII form, lower case; null for what is no name of a domain with a dot. */
export function normaliseDomain(text: string): string | null {
  let domain = domains.get(text);
  if (domain === undefined) {
    domain = parseDomain(text) ?? '';
    domains.set(text, domain);
  }
  return domain === '' ? null : domain;
}

function parseDomain(text: string): string | null {
  if (NOT_A_DOMAIN.test(text)) return null;
  const domain = domainToASCII(text);
  const labels = domain.split('.');
  const last = labels.at(-1) ?? '';
  // A last label of digits only would be an IPv4 address.
  return labels.length >= 2 && labels.every((label) => LABEL.test(label)) && last.length >= 2 && /[a-z]/.test(last)
    ? domain
    : null;
}

/** ISO 3166 of a number in E.164, where it has one. */
export function countryOfPhone(number: string): string | undefined {
  return parsePhoneNumberFromString(number)?.country;
}

/**
 * The number in E.164 (`+4930123456`), or null when it does not parse as one that could exist. `country` is the
 * ISO 3166 code that a number without its country's code is read in; null when there is none.
 */
export function normalisePhone(text: string, country: string | null): string | null {
  if (text.length > 64) return null;
  const code = country?.toUpperCase();
  const defaultCountry: CountryCode | undefined = code && isSupportedCountry(code) ? code : undefined;
  const number = parsePhoneNumberFromString(text, { defaultCountry, extract: false });
  return number?.isValid() ? number.number : null;
}
