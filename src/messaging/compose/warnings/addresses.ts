import Type, { type Static } from 'typebox';
import { Nullable, OneOf } from '../../../lib/schemas.ts';
import { rewriteAddresses, withScheme } from '../links/html.ts';

export const ADDRESS_KINDS = ['link', 'picture'] as const;
export const UNCHECKABLE = ['personal', 'incomplete'] as const;

/** A web address of an e-mail. */
export const WebAddress = Type.Object({
  address: Type.String({ description: 'As it is rendered; as it is written where it is `incomplete`' }),
  kind: OneOf(ADDRESS_KINDS),
  unchecked: Nullable(
    OneOf(UNCHECKABLE, {
      description:
        'Why no check should call it. personal: it unsubscribes, tracks or holds a token; incomplete: its variables are empty here. Null: it can be called',
    }),
  ),
});
export type WebAddress = Static<typeof WebAddress>;

/** Mail programs do not open longer addresses. */
export const LONGEST_ADDRESS = 2_000;
const MOST_ADDRESSES = 200;

const GAP = /\{\{([\s\S]*?)\}\}|\{%([\s\S]*?)%\}/g;
const PERSONAL_VARIABLE = /unsubscribe|preferences_url|token|otp\b|nonce|secret|signature|password|magic|one_?time/i;
const PERSONAL_PATH =
  /(^|[/_.-])(unsubscribe|opt[-_]?out|abmelden|abbestellen|verify|activate|reset|magic|one[-_]?click)([/_.-]|$)/i;
const PERSONAL_PARAMETER = /^(\w*[_-])?(token|otp|nonce|sig|signature|secret|auth|jwt|key|hash|session|unsubscribe)$/i;

/** Whether calling the address could act on someone's behalf: unsubscribe, confirm or sign in. */
export function looksPersonal(url: URL): boolean {
  if (PERSONAL_PATH.test(url.pathname)) return true;
  return [...url.searchParams].some(([name, value]) => value !== '' && PERSONAL_PARAMETER.test(name));
}

/** Literal parts of an address with Liquid between them. */
interface Pattern {
  written: string;
  kind: WebAddress['kind'];
  personal: boolean;
  /** Conditions decide which of its literal parts are written. */
  hasTags: boolean;
  /** The literal parts, each with the minimum number of characters before it. */
  parts: { text: string; least: number }[];
  literals: number;
}

/** Returns the distinct web addresses of a rendered e-mail in order; `source` is its template. Linear in both for few variables. */
export function addressesIn(html: string, source: string): WebAddress[] {
  const { fixed, patterns } = readSource(source);
  const found = new Map<string, WebAddress>();
  const filled = new Set<Pattern>();
  const add = (one: WebAddress): void => {
    if (found.size < MOST_ADDRESSES) found.set(`${one.kind} ${one.address}`, one);
  };
  rewriteAddresses(html, (raw, followed) => {
    const address = withScheme(raw);
    if (found.size >= MOST_ADDRESSES || !isOfWeb(address)) return null;
    const kind = followed ? 'link' : 'picture';
    const pattern = fixed.has(address) ? undefined : patterns.find((one) => matches(one, address, false));
    if (pattern !== undefined) {
      // Its variables are empty, so the template's own text is reported below.
      if (!matches(pattern, address, true)) return null;
      filled.add(pattern);
    }
    const personal = pattern?.personal === true || looksPersonal(new URL(address));
    add({ address, kind, unchecked: personal ? 'personal' : null });
    return null;
  });
  for (const one of patterns) {
    if (filled.has(one) || (one.hasTags && !one.personal)) continue;
    const address = one.written.length > 200 ? `${one.written.slice(0, 200)}…` : one.written;
    add({ address, kind: one.kind, unchecked: one.personal ? 'personal' : 'incomplete' });
  }
  return [...found.values()];
}

function readSource(source: string): { fixed: Set<string>; patterns: Pattern[] } {
  const fixed = new Set<string>();
  const patterns = new Map<string, Pattern>();
  rewriteAddresses(source, (raw, followed) => {
    const address = withScheme(raw);
    if (!/\{\{|\{%/.test(address)) fixed.add(address);
    else if (patterns.size < MOST_ADDRESSES && address.length <= LONGEST_ADDRESS && mayBeOfWeb(address))
      patterns.set(address, patternOf(address, followed ? 'link' : 'picture'));
    return null;
  });
  // If several match, the one with the most literal text is the best guess.
  return { fixed, patterns: [...patterns.values()].sort((one, other) => other.literals - one.literals) };
}

function patternOf(written: string, kind: WebAddress['kind']): Pattern {
  const parts: Pattern['parts'] = [];
  let at = 0;
  let least = 0;
  for (const gap of written.matchAll(GAP)) {
    parts.push({ text: written.slice(at, gap.index), least });
    // A tag itself outputs nothing.
    least = gap[1] === undefined ? 0 : 1;
    at = gap.index + gap[0].length;
  }
  parts.push({ text: written.slice(at), least });
  const literals = parts.reduce((sum, { text }) => sum + text.length, 0);
  const variables = [...written.matchAll(GAP)].map((gap) => gap[0]).join(' ');
  const hasTags = variables.includes('{%');
  return { written, kind, parts, literals, hasTags, personal: PERSONAL_VARIABLE.test(variables) };
}

/** Whether the pattern can produce the address; `filled`: without an empty value for any variable. */
function matches({ parts }: Pattern, address: string, filled: boolean): boolean {
  const [first, ...rest] = parts;
  if (!address.startsWith(first!.text)) return false;
  let at = first!.text.length;
  for (const [i, { text, least }] of rest.entries()) {
    const from = at + (filled ? least : 0);
    const start = i === rest.length - 1 ? address.length - text.length : address.indexOf(text, from);
    if (start < from || !address.startsWith(text, start)) return false;
    at = start + text.length;
  }
  return true;
}

function isOfWeb(address: string): boolean {
  return /^https?:\/\//i.test(address) && address.length <= LONGEST_ADDRESS && URL.canParse(address);
}

/** Whether an address with Liquid may be a web address: false if it starts with another scheme. */
function mayBeOfWeb(written: string): boolean {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(written)?.[0].toLowerCase();
  return scheme === undefined || scheme === 'http:' || scheme === 'https:';
}
