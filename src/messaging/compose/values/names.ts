import { tagsIn, withoutQuoted } from '../liquid/tags.ts';

const ANY = true as const;

/** Variables that are loaded only if a text names them, with their fields; see `KnownNames`. */
export const DATA_NAMES = {
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
  cart: { items: ANY, total: ANY },
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
export const SAMPLES = {
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
