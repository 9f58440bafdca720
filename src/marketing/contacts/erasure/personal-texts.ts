import type { Contact } from '../contact.ts';

/*
 * Where texts that say who a contact was are looked for when it is erased, and which places count: those that can be
 * nobody else's. A phone may be any word and an external id any number, so that neither counts wherever it stands.
 */

export type PersonKeys = Pick<Contact, 'email' | 'phone' | 'external_id'>;

/** A text to look for, and the pattern of where it counts: the search for the text alone is much cheaper. */
export interface Wanted {
  part: string;
  pattern: string;
}

/** Shorter ids, and such of letters or digits alone, may be a word or the number of something else. */
const SHORTEST_ID = 6;
/** Digits of a phone at least; phones that do not parse are kept as they were given, and may be `unknown`. */
const SHORTEST_NUMBER = 7;

/** In answers the e-mail as the value of anything, the phone as that of a contact or a message. */
export function textsInResponses({ email, phone }: PersonKeys): Wanted[] {
  const wanted: Wanted[] = [];
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

/** `%` and two digits, encoded once more where an address is part of another. */
const ENCODED = '%(25)*[0-9a-f]{2}';

/** Where a part of an address that is a value begins and ends: a query parameter, or a folder of the path. */
const AFTER_EQUALS = '(=|%(25)*3d)';
const PARAMETER_ENDS = '($|[&#;]|%(25)*26)';
const FOLDER_BEGINS = '([=/]|%(25)*(3d|2f))';
const FOLDER_ENDS = '($|[/?&#;]|%(25)*(2f|3f|26))';

/** What says that the value behind it is a person: `?customer=`, `&shop_customer_id=`, `/customers/`. */
const PERSON =
  '(customer|contact|user|member|subscriber|shopper|buyer|person|account|external)s?[_-]?(id|no|nr|number|key)?';

/*
 * Behind an e-mail address: a letter or a digit, a hyphen with the rest of a domain, or a dot with a label of two letters
 * (`.au`) make another person's address. Before it: a letter, a digit, or a dot behind one (`jo.ann@`). In doubt it is the
 * person's: `.html`, `user_`, `news-`.
 */
const EMAIL_BEGINS = `(^|[^a-z0-9.]|${ENCODED}|(^|[^a-z0-9])[.])`;
const EMAIL_ENDS = '(?![a-z0-9]|-[a-z0-9-]*[.][a-z]|[.][a-z]{2}($|[^a-z0-9-]))';

/**
 * Links are shared by all recipients of a company, so in their addresses count, in any encoding: the e-mail, unless it is
 * part of a longer one; a phone in E.164 with its plus, unless it is part of a longer number, and any of seven digits or more
 * as the whole value of a query parameter (`?p=12133734253`); an external id where the address says that it is a person's
 * (`?customer=100234`, `/customers/100234`), and one of letters and digits as any whole value or folder (`/cust-77`).
 * `/products/100234` is everybody's.
 */
export function textsInLinks({ email, phone, external_id: id }: PersonKeys): Wanted[] {
  const wanted: Wanted[] = [];
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

function value(text: string): Wanted {
  return inLinks(text, AFTER_EQUALS, PARAMETER_ENDS);
}

function isNumber(phone: string): boolean {
  return /^[+0-9 ()./-]+$/.test(phone) && phone.replace(/[^0-9]/g, '').length >= SHORTEST_NUMBER;
}

/** The text in an address in lower case, each of its characters as it is or encoded. */
function inLinks(text: string, before: string, behind: string): Wanted {
  const runs = text.toLowerCase().match(/[a-z0-9]+/g) ?? [''];
  return {
    // Never encoded.
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
