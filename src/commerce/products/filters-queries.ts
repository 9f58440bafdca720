import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { codesOf, wordsOf } from '../search.ts';

/** A parsed search for products. */
export interface ProductSearch {
  /** The text as typed. */
  text: string;
  /** Normalised words, all of which must be found in the name or the description. */
  words: string[];
  /** Products with one of these as their SKU are found as well. */
  codes: string[];
}

export function searchOf(text: string | undefined): ProductSearch {
  return { text: (text ?? '').trim(), words: wordsOf(text), codes: codesOf(text) };
}

export interface ProductFilters {
  category?: string;
  search: ProductSearch;
  inStock?: boolean;
  subscriptionEnabled?: boolean;
  /** Only archived products if true; otherwise only those that are not archived. */
  archived?: boolean;
}

/** The boolean filters as conditions over alias p. */
export function flagsOf({ subscriptionEnabled, inStock, archived = false }: ProductFilters): Statement {
  return sql`${rawSql(archived ? 'p.archived_at is not null' : 'p.archived_at is null')} ${
    subscriptionEnabled === undefined ? emptySql : sql`and p.subscription_enabled = ${subscriptionEnabled}`
  } ${inStock === undefined ? emptySql : rawSql(inStock ? 'and p.in_stock' : 'and not p.in_stock')}`;
}

/** Returns the facets of list_counts (see product_facet) that the boolean filters include. */
export function facetsOf({ subscriptionEnabled, inStock, archived = false }: ProductFilters): string[] {
  const either = (flag: boolean | undefined, yes: string, no: string): string[] =>
    flag === undefined ? [yes, no] : [flag ? yes : no];
  return either(subscriptionEnabled, 'subscription', 'single').flatMap((kind) =>
    either(inStock, 'in', 'out').map((stock) => `${archived ? 'archived' : 'listed'}:${kind}:${stock}`),
  );
}
