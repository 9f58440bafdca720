import { domainToASCII } from 'node:url';
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { createTextCache } from './text-cache.ts';

/**
 * A dot-atom (RFC 5322) in ASCII. Quoted and non-ASCII local parts are refused, as web browsers refuse them. Checked
 * before lower-casing, which would turn the Kelvin sign into a k, and an address into another person's.
 */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** Characters that would make a URL parser cut, decode or split the text instead of refusing it. */
const NOT_A_DOMAIN = /[\s/\\?#%:@[\]<>,;"()]/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Returns the address in the form in which it is stored and compared: trimmed, lower case, an international domain in
 * ASCII. Null for what no mail server would accept, and for the few shapes that only a server would (quoted local
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

/** Whether it has no line ends or other control characters, which could end a header. */
export function isOneLine(text: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(text);
}

export interface Sender {
  /** '' if absent. */
  name: string;
  address: string;
}

/** Reads `Name <address>` or an address alone; null for what cannot be in a From header. */
export function readSender(text: string): Sender | null {
  const match = /^([^<>]*)<([^<>]+)>\s*$/.exec(text);
  const name = (match?.[1] ?? '').replace(/"/g, '').trim();
  const address = normaliseEmail(match?.[2] ?? text);
  return address !== null && isOneLine(name) ? { name, address } : null;
}

/** Most addresses belong to a few domains, so their normalised form is cached; '' for an invalid one. */
const domains = createTextCache<string>(1_000, 64 * 1024);

/** Returns it in ASCII and lower case; null for what is not a domain name with a dot. */
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

/** Returns the digits of a number in E.164 after the code of its country, without the 0 that some countries write before them. */
export function nationalDigits(number: string): string | undefined {
  return parsePhoneNumberFromString(number)?.nationalNumber;
}

/**
 * Returns the number in E.164 (`+4930123456`), or null when it does not parse as a possible one. `country` is the ISO
 * 3166 code for numbers without a country code; null when there is none.
 */
export function normalisePhone(text: string, country: string | null): string | null {
  if (text.length > 64) return null;
  const code = country?.toUpperCase();
  const defaultCountry: CountryCode | undefined = code && isSupportedCountry(code) ? code : undefined;
  const number = parsePhoneNumberFromString(text, { defaultCountry, extract: false });
  return number?.isValid() ? number.number : null;
}
