import { HIDDEN } from './audit-addresses.ts';

/*
 * Names, rules, filters and texts that people of the shop write may name its customers. The log can never forget what it holds, so
 * e-mail addresses and phone numbers in them are hidden before an entry is written.
 */

/** Fields that hold addresses of the shop itself. */
const OF_THE_SHOP = new Set(['from', 'from_email', 'sender', 'reply_to']);
/** The log shows only the beginning of longer texts; filters and the inputs of bulk actions are shorter. */
const MOST_READ = 4_000;
const LONGEST_LOCAL_PART = 64;

/** Returns the value with the addresses in all its texts hidden. */
export function withoutPeople(value: unknown): unknown {
  if (typeof value === 'string') return hidden(value);
  if (Array.isArray(value)) return value.map(withoutPeople);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, OF_THE_SHOP.has(name) ? one : withoutPeople(one)]),
  );
}

function hidden(text: string): string {
  if (isPhone(text)) return HIDDEN;
  return withoutPhones(withoutEmails(text.slice(0, MOST_READ))) + text.slice(MOST_READ);
}

function isPhone(text: string): boolean {
  return (
    text.length <= 30 &&
    /^[+0-9 ()./-]+$/.test(text) &&
    text.replace(/[^0-9]/g, '').length >= 7 &&
    !/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)
  );
}

/** Hides numbers with a plus, and those of as many digits as a number with its country has. */
function withoutPhones(text: string): string {
  return text.replace(/[+][0-9][0-9 ()./-]{5,30}[0-9]|(?<![0-9])[0-9]{10,15}(?![0-9])/g, HIDDEN);
}

function withoutEmails(text: string): string {
  const [first = '', ...others] = text.split(/(?=@|%40)/i);
  return others.reduce((before, piece) => {
    const domain = /^(@|%40)[\p{L}\p{N}-]+([.][\p{L}\p{N}-]+)+/iu.exec(piece);
    const local = /[\p{L}\p{N}._%+'-]+$/u.exec(before.slice(-LONGEST_LOCAL_PART));
    if (domain === null || local === null) return before + piece;
    return before.slice(0, -local[0].length) + HIDDEN + piece.slice(domain[0].length);
  }, first);
}
