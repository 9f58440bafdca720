import { nationalDigits } from '../../../lib/addresses.ts';
import type { Contact } from '../contact.ts';

/*
 * The texts by which an erasure finds remaining data that identifies a contact, and the places in which a match counts: only those where
 * it cannot mean anybody else. A stored phone may be any word and an external id any number, so neither counts everywhere.
 */

export type PersonKeys = Pick<Contact, 'email' | 'phone' | 'external_id'>;

/** A text to search for, and the pattern that a hit must match: searching for the plain text first is much cheaper. */
export interface SearchText {
  part: string;
  pattern: string;
}

/** Shorter ids, and those of only letters or only digits, may be a word or the id of something else. */
const SHORTEST_ID = 6;
/** The fewest digits of a phone number; a phone that cannot be parsed is stored as given, and may be `unknown`. */
const SHORTEST_NUMBER = 7;

/** In stored responses: the e-mail as any value, the phone as a value of `phone` or `recipient`. */
export function textsInResponses({ email, phone }: PersonKeys): SearchText[] {
  const wanted: SearchText[] = [];
  if (email !== null) {
    const part = JSON.stringify(email);
    wanted.push({ part, pattern: `${escaped(part)}($|[,}\\]])` });
  }
  if (phone !== null && isNumber(phone)) {
    const part = JSON.stringify(phone);
    wanted.push({ part, pattern: `"(phone|recipient)":${escaped(part)}` });
  }
  return wanted;
}

/** `%` and two digits; encoded twice if an address is part of another one. */
const ENCODED = '%(25)*[0-9a-f]{2}';

/** Delimiters of a value in a URL: a query parameter, or a segment of the path. */
const AFTER_EQUALS = '(=|%(25)*3d)';
const PARAMETER_ENDS = '($|[&#;]|%(25)*26)';
const FOLDER_BEGINS = '([=/]|%(25)*(3d|2f))';
const FOLDER_ENDS = '($|[/?&#;]|%(25)*(2f|3f|26))';

/** Names of parameters and path segments whose value is a person: `?customer=`, `&shop_customer_id=`, `/customers/`. */
const PERSON =
  '(customer|contact|user|member|subscriber|shopper|buyer|person|account|external)s?[_-]?(id|no|nr|number|key)?';

/*
 * A match is part of another person's e-mail address if it is followed by a letter or digit, by a hyphen and the rest of a domain, or
 * by a dot and a label of two letters (`.au`), or if it is preceded by a letter, a digit, or a dot after one (`jo.ann@`).
 * Any other surroundings count as the person's own address: `.html`, `user_`, `news-`.
 */
const EMAIL_BEGINS = `(^|[^a-z0-9.]|${ENCODED}|(^|[^a-z0-9])[.])`;
const EMAIL_ENDS = '(?![a-z0-9]|-[a-z0-9-]*[.][a-z]|[.][a-z]{2}($|[^a-z0-9-]))';

/**
 * All recipients of a company share its links, so only these texts count in a URL, in any encoding:
 * - the e-mail, unless it is part of a longer one;
 * - a phone in E.164 with its plus, unless it is part of a longer number, and a phone of at least seven digits as the whole value
 *   of a query parameter (`?p=12133734253`);
 * - an external id in a place for a person (`?customer=100234`, `/customers/100234`), and one with letters and digits as any whole
 *   value or path segment (`/cust-77`). `/products/100234` does not count.
 */
export function textsInLinks({ email, phone, external_id: id }: PersonKeys): SearchText[] {
  const wanted: SearchText[] = [];
  if (email !== null) wanted.push(inLinks(email, EMAIL_BEGINS, EMAIL_ENDS));
  if (phone !== null && isNumber(phone)) {
    if (phone.startsWith('+')) wanted.push(inLinks(phone, '', '(?![0-9])'), value(phone.slice(1)));
    else wanted.push(value(phone));
  }
  if (id !== null) {
    wanted.push(inLinks(id, `(?<![a-z0-9])([a-z0-9]+[_-])*${PERSON}${FOLDER_BEGINS}`, FOLDER_ENDS));
    if (id.length >= SHORTEST_ID && /[0-9]/.test(id) && /\p{L}/u.test(id)) {
      wanted.push(inLinks(id, FOLDER_BEGINS, FOLDER_ENDS));
    }
  }
  return wanted;
}

/** Between the digits of a phone number. */
export const SEPARATORS = ' ()./-';

/**
 * A text in words that people wrote, in any case. `part` is in lower case and without separators: the words are compared like that first.
 * `whole`: a match that is a whole value of a JSON document.
 */
export interface WordText extends SearchText {
  whole: string;
}

/** The beginning of a JSON text, unless it is the sender of an e-mail: the shop itself. */
const VALUE_BEGINS = '(?<=")(?<!"from": ")';

/**
 * In names, rules and filters: the e-mail, unless it is part of a longer one, and the phone with its plus or, also without the
 * code of its country, as the beginning of a text; with any separators. Neither ever matches a part of a JSON number or of an escape such as `\n`.
 */
export function textsInWords({ email, phone }: PersonKeys): WordText[] {
  const wanted: WordText[] = [];
  if (email !== null) {
    const address = escaped(email.toLowerCase());
    const pattern = `(?<![a-z0-9\\\\]|[a-z0-9][.])${address}${EMAIL_ENDS}`;
    wanted.push({ part: withoutSeparators(email), pattern, whole: `${VALUE_BEGINS}${address}(?=")` });
  }
  if (phone !== null && isNumber(phone)) {
    const digits = spelled(phone.replace(/[^0-9]/g, ''));
    const national = nationalDigits(phone);
    const local = national === undefined || national.length < SHORTEST_NUMBER ? '' : `|[(]?0?${spelled(national)}`;
    const pattern = `([+]${digits}|(?<=^|["a-z_])(${digits}${local}))(?![0-9])`;
    const part = local === '' ? withoutSeparators(phone.replace('+', '')) : national!;
    wanted.push({ part, pattern, whole: `${VALUE_BEGINS}([+]?${digits}${local})(?=")` });
  }
  return wanted;
}

/** Digits with any separators. */
function spelled(digits: string): string {
  return [...digits].join(`[${SEPARATORS}]*`);
}

function withoutSeparators(text: string): string {
  return [...text.toLowerCase()].filter((character) => !SEPARATORS.includes(character)).join('');
}

function value(text: string): SearchText {
  return inLinks(text, AFTER_EQUALS, PARAMETER_ENDS);
}

function isNumber(phone: string): boolean {
  return /^[+0-9 ()./-]+$/.test(phone) && phone.replace(/[^0-9]/g, '').length >= SHORTEST_NUMBER;
}

/** Matches the text in a lower-case URL, each character plain or percent-encoded. */
function inLinks(text: string, before: string, behind: string): SearchText {
  const runs = text.toLowerCase().match(/[a-z0-9]+/g) ?? [''];
  return {
    // Letters and digits are never encoded.
    part: runs.reduce((longest, run) => (run.length > longest.length ? run : longest)),
    pattern: before + [...text].map(inAddress).join('') + behind,
  };
}

function inAddress(character: string): string {
  const lower = character.toLowerCase();
  if (/^[a-z0-9]$/.test(lower)) return lower;
  const forms = new Set([escaped(lower), encoded(character), encoded(lower), ...(character === ' ' ? ['[+]'] : [])]);
  return `(${[...forms].join('|')})`;
}

function encoded(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%(25)*${byte.toString(16).padStart(2, '0')}`).join('');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
