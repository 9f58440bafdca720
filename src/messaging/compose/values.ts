import type { Queryable } from '../../db/pool.ts';
import type { JsonValue, RenderContext } from './liquid/render.ts';

const ANY = true as const;

/** Variables that are loaded only if a text names them, with their fields; see `KnownNames`. */
export const DATA_NAMES = {
  customer: { custom: ANY },
  loyalty: { points: ANY, value: ANY },
  subscription: {
    subscription_id: ANY,
    next_order_at: ANY,
    frequency: ANY,
    product_name: ANY,
    quantity: ANY,
    price: ANY,
    items: ANY,
  },
  cart: { items: ANY, total: ANY, recover_url: ANY },
  recommendations: { recently_viewed: ANY, best_sellers: ANY, best_sellers_by_category: ANY, bought_together: ANY },
} as const;

/** What is loaded separately: a variable, or one part of `recommendations`. */
export type DataName = Exclude<keyof typeof DATA_NAMES, 'recommendations'> | Recommendation;
export type Recommendation = `recommendations.${keyof typeof DATA_NAMES.recommendations}`;

const SAMPLE_PRODUCTS = [1, 2, 3, 4, 5, 6].map((id) => ({
  id: String(id),
  name: `Sample product ${id}`,
  price: 19.9,
  formatted_price: '19.90 USD',
  image: 'https://example.com/product.png',
  url: 'https://example.com/product',
}));

/** Shown if there is no contact to take values from. */
const SAMPLES = {
  customer: { custom: {} },
  loyalty: { points: 240, value: 2.4 },
  subscription: {
    subscription_id: 1,
    next_order_at: '2030-01-15',
    frequency: 'Monthly',
    product_name: 'Sample product',
    quantity: 1,
    price: 19.9,
    items: [{ product_id: 1, name: 'Sample product', qty: 1, price: 19.9 }],
  },
  cart: {
    items: [
      {
        product_id: '1',
        name: 'Sample product',
        qty: 2,
        price: 19.9,
        url: 'https://example.com/product',
        image: 'https://example.com/product.png',
      },
    ],
    total: 39.8,
    recover_url: 'https://example.com/?recover=sample',
  },
  'recommendations.recently_viewed': SAMPLE_PRODUCTS,
  'recommendations.best_sellers': SAMPLE_PRODUCTS,
  // For every category that a text names; see `sampleOf`.
  'recommendations.best_sellers_by_category': SAMPLE_PRODUCTS,
  'recommendations.bought_together': SAMPLE_PRODUCTS,
} satisfies Record<DataName, object>;

const NAMES = Object.keys(SAMPLES) as DataName[];
const RECOMMENDATIONS = NAMES.filter((name): name is Recommendation => name.startsWith('recommendations.'));
/** A text without any of these words names no variable. */
const WORDS = Object.keys(DATA_NAMES);
/** Names that stand alone or come first, with the name that follows: neither fields of others nor parts of longer names. */
const FIRST = /(?<![\w.-])([a-z]+)(?![\w-])(?:\.([\w-]+))?/g;
const isName = (name: string): name is DataName => Object.hasOwn(SAMPLES, name);

/** Returns the variables named in the Liquid tags of a text. */
export function dataIn(text: string): DataName[] {
  const found = new Set<DataName>();
  if (!WORDS.some((word) => text.includes(word))) return [];
  for (const tag of tagsIn(text)) {
    for (const [, name, next] of withoutQuoted(tag).matchAll(FIRST))
      for (const one of named(name!, next)) found.add(one);
    if (found.size === NAMES.length) break;
  }
  return [...found];
}

/** A dynamic lookup (`recommendations[x]`) may be any of them. */
function named(name: string, next: string | undefined): readonly DataName[] {
  if (name === 'recommendations' && next === undefined) return RECOMMENDATIONS;
  const whole = name === 'recommendations' ? `${name}.${next}` : name;
  return isName(whole) ? [whole] : [];
}

/** Maximum number of categories that one text may name. */
const MOST_CATEGORIES = 20;
const CATEGORY =
  /(?<![\w-])best_sellers_by_category(?:\s*\[\s*(?:'([^']{1,240})'|"([^"]{1,240})")\s*\]|\.([\w-]{1,240}))/g;

/** Returns the categories whose best sellers a text names: `recommendations.best_sellers_by_category['tea']`. */
export function categoriesIn(text: string): string[] {
  const found = new Set<string>();
  if (!text.includes('best_sellers_by_category')) return [];
  for (const tag of tagsIn(text)) {
    for (const [, single, double, plain] of tag.matchAll(CATEGORY)) {
      if (found.size === MOST_CATEGORIES) return [...found];
      found.add((single ?? double ?? plain)!);
    }
  }
  return [...found];
}

/** What the texts of the messages require apart from the variable itself. */
export interface Asked {
  now: Date;
  /** Slugs of categories. */
  categories: string[];
}

/** Loads one variable by ids of customers or contacts, in a constant number of statements; ids without a value are absent. */
export type LoadValues = (
  db: Queryable,
  companyId: number,
  ids: number[],
  asked: Asked,
) => Promise<Map<number, JsonValue>>;
export type DataLoaders = Record<DataName, LoadValues>;

/** The parts of a message that determine its values. */
export interface DataOwner {
  messageId: number;
  texts: readonly (string | null)[];
  /** null: samples are shown. */
  contactId: number | null;
  /** The contact's external id; for the contact of a customer, the customer's id. */
  externalId: string | null;
}

/** A message that may use coupons. */
export interface CouponOwner extends Pick<DataOwner, 'messageId' | 'texts'> {
  /** Otherwise samples are shown. */
  issuesCoupons: boolean;
}

const CUSTOMER_ID = /^[1-9]\d{0,14}$/;

export function createDataLoader(loaders: DataLoaders) {
  /** Loads the variables that the texts of one company's messages name, in a constant number of statements; none if none is named. */
  return async function loadData(
    db: Queryable,
    companyId: number,
    owners: readonly DataOwner[],
    now: Date,
  ): Promise<(messageId: number) => RenderContext> {
    const namesOf = byText(dataIn);
    const categoriesOf = byText(categoriesIn);
    const named = owners.flatMap((owner) => {
      const names = [...new Set(owner.texts.flatMap(namesOf))];
      return names.length === 0 ? [] : [{ owner, names }];
    });
    if (named.length === 0) return () => ({});
    const wanted = [...new Set(named.flatMap(({ names }) => names))];
    const categories = [...new Set(named.flatMap(({ owner }) => owner.texts.flatMap(categoriesOf)))];
    const loaded = await Promise.all(
      wanted.map(async (name) => {
        const idsOf = named.flatMap(({ owner, names }) => (names.includes(name) ? (ownerId(name, owner) ?? []) : []));
        const ids = [...new Set(idsOf)];
        const load = loaders[name];
        return [name, ids.length === 0 ? new Map() : await load(db, companyId, ids, { now, categories })] as const;
      }),
    );
    const values: Map<DataName, Map<number, JsonValue>> = new Map(loaded);
    const valueFor = (name: DataName, owner: DataOwner): JsonValue => {
      if (owner.contactId === null) return sampleOf(name, categories);
      const id = ownerId(name, owner);
      return id === null ? null : (values.get(name)?.get(id) ?? null);
    };
    const contexts = new Map(
      named.map(({ owner, names }) => [
        owner.messageId,
        contextOf(names.map((name) => [name, valueFor(name, owner)] as const)),
      ]),
    );
    return (messageId) => contexts.get(messageId) ?? {};
  };
}

/** Messages of one campaign share their texts, so each text is parsed once. */
function byText<Found>(find: (text: string) => Found[]): (text: string | null) => Found[] {
  const known = new Map<string, Found[]>();
  return (text) => {
    if (text === null) return [];
    const found = known.get(text) ?? find(text);
    known.set(text, found);
    return found;
  };
}

/** Puts the recommendations into one variable, which is null if all of them are. */
function contextOf(values: readonly (readonly [DataName, JsonValue])[]): RenderContext {
  const context: RenderContext = {};
  for (const [name, value] of values) {
    const [variable, part] = name.split('.') as [string, string?];
    if (part === undefined) context[variable] = value;
    else if (value === null) context[variable] ??= null;
    else context[variable] = { ...(context[variable] as RenderContext | null), [part]: value };
  }
  return context;
}

function sampleOf(name: DataName, categories: readonly string[]): JsonValue {
  const sample = SAMPLES[name];
  return name === 'recommendations.best_sellers_by_category'
    ? Object.fromEntries(categories.map((category) => [category, sample]))
    : sample;
}

const OF_CUSTOMERS: readonly DataName[] = ['customer', 'loyalty', 'subscription', 'recommendations.bought_together'];

/** Returns the id by which a variable is loaded; null if the contact cannot have such values. */
function ownerId(name: DataName, owner: DataOwner): number | null {
  return OF_CUSTOMERS.includes(name) ? customerOf(owner) : owner.contactId;
}

function customerOf({ contactId, externalId }: DataOwner): number | null {
  return contactId !== null && externalId !== null && CUSTOMER_ID.test(externalId) ? Number(externalId) : null;
}

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

/** The coupons of a single message, or why it cannot be composed. */
export type CouponValues = { values: RenderContext } | { missing: string };

/** Creates the coupons of one company's messages in a constant number of statements; does nothing if no text uses one. */
export async function loadCoupons(
  issue: IssueCoupons,
  db: Queryable,
  companyId: number,
  owners: readonly CouponOwner[],
  now: Date,
): Promise<(messageId: number) => CouponValues> {
  const namesIn = byText((text) => couponsIn([text]));
  const named = new Map<number, { names: string[]; issuesCoupons: boolean }>();
  for (const { messageId, texts, issuesCoupons } of owners) {
    const names = [...new Set(texts.flatMap(namesIn))];
    if (names.length > 0) named.set(messageId, { names, issuesCoupons });
  }
  const wanted = [...named].flatMap(([messageId, { names, issuesCoupons }]) =>
    issuesCoupons
      ? [...new Set(names.map((name) => name.toUpperCase()))].map((template) => ({ messageId, template }))
      : [],
  );
  const issued = wanted.length === 0 ? new Map<number, Map<string, string>>() : await issue(db, companyId, wanted, now);
  return (messageId) => {
    const owner = named.get(messageId);
    if (owner === undefined) return { values: {} };
    const { names, issuesCoupons } = owner;
    if (!issuesCoupons) return { values: sampleCoupons(names) };
    const coupons = issued.get(messageId);
    const missing = names.find((name) => coupons?.has(name.toUpperCase()) !== true);
    if (missing !== undefined) return { missing: `There is no usable coupon template ${missing}` };
    return { values: { coupon: Object.fromEntries(names.map((name) => [name, coupons!.get(name.toUpperCase())!])) } };
  };
}

/** `{{ … }}` and `{% … %}`. */
const CLOSES: Record<string, string> = { '{': '}}', '%': '%}' };
const QUOTED = /'[^']*'|"[^"]*"/g;

/** Yields the content of the Liquid tags of a text, in linear time. */
function* tagsIn(text: string): Iterable<string> {
  for (let at = text.indexOf('{'); at >= 0; ) {
    const close = CLOSES[text[at + 1] ?? ''];
    if (close === undefined) {
      at = text.indexOf('{', at + 1);
      continue;
    }
    const end = text.indexOf(close, at + 2);
    // Liquid rejects a text with an unclosed tag.
    if (end < 0) return;
    yield text.slice(text[at + 2] === '-' ? at + 3 : at + 2, end);
    at = text.indexOf('{', end + 2);
  }
}

/** Removes the quoted strings of a tag. */
function withoutQuoted(tag: string): string {
  return tag.replace(QUOTED, "''");
}
