import type { Queryable } from '../../db/pool.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { Source } from './content/source.ts';
import type { RenderContext } from './liquid/engine.ts';
import { tagsIn, withoutQuoted } from './liquid/tags.ts';

/** Creates and finds the coupons of messages: see commerce/promotions/coupons. */
export type IssueCoupons = (
  db: Queryable,
  companyId: number,
  wanted: { messageId: number; template: string }[],
  now: Date,
) => Promise<Map<number, Map<string, string>>>;

/** `{{ coupon.SUMMER }}`: a coupon of the template SUMMER; the name is not case-sensitive. */
const COUPON = /(?<![\w.-])coupon\.([A-Za-z]\w{0,59})/g;

/** Returns the names of the coupons used in the texts, as written there. */
export function couponsIn(texts: readonly (string | null | undefined)[]): string[] {
  const names = new Set<string>();
  for (const text of texts) {
    if (!text?.includes('coupon.')) continue;
    for (const tag of tagsIn(text)) {
      if (!tag.includes('coupon.')) continue;
      for (const [, name] of withoutQuoted(tag).matchAll(COUPON)) names.add(name!);
    }
  }
  return [...names];
}

/** Placeholder codes for previews and test messages; they cannot be redeemed. */
export function sampleCoupons(names: readonly string[]): RenderContext {
  return names.length === 0
    ? {}
    : { coupon: Object.fromEntries(names.map((name) => [name, `${name}-XXXX-XXXX-XXXX`])) };
}

/** The variables of a single message, or why it cannot be composed. */
export type OwnValues = { values: RenderContext } | { missing: string };

interface Wanting {
  message: ClaimedMessage;
  source: Source;
}

/** Creates the coupons of one company's messages in a constant number of statements; does nothing if no text uses one. */
export async function loadCoupons(
  issue: IssueCoupons,
  db: Queryable,
  companyId: number,
  messages: readonly Wanting[],
  now: Date,
): Promise<(message: ClaimedMessage) => OwnValues> {
  // Messages of one campaign share their texts.
  const known = new Map<string, string[]>();
  const namesIn = (text: string | null): string[] => {
    if (text === null) return [];
    const names = known.get(text) ?? couponsIn([text]);
    known.set(text, names);
    return names;
  };
  const named = new Map<number, string[]>();
  for (const { message, source } of messages) {
    const names = [source.content, source.subject, source.previewText].flatMap(namesIn);
    if (names.length > 0) named.set(message.id, [...new Set(names)]);
  }
  if (named.size === 0) return () => ({ values: {} });
  const real = messages.filter(({ message }) => message.contactId !== null);
  const wanted = real.flatMap(({ message: { id } }) =>
    [...new Set(named.get(id)?.map((name) => name.toUpperCase()))].map((template) => ({ messageId: id, template })),
  );
  const issued = wanted.length === 0 ? new Map() : await issue(db, companyId, wanted, now);
  return ({ id, contactId }) => {
    const names = named.get(id);
    if (names === undefined) return { values: {} };
    if (contactId === null) return { values: sampleCoupons(names) };
    const coupons: Map<string, string> | undefined = issued.get(id);
    const missing = names.find((name) => coupons?.has(name.toUpperCase()) !== true);
    if (missing !== undefined) return { missing: `There is no usable coupon template ${missing}` };
    return { values: { coupon: Object.fromEntries(names.map((name) => [name, coupons!.get(name.toUpperCase())!])) } };
  };
}
