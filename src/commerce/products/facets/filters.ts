import { type Statement, sql } from '../../../db/sql.ts';
import { customTexts, KEPT_TEXT } from './keep-queries.ts';

/** Products with one of the values of an option or of a custom field. */
export interface FacetFilter {
  of: 'option' | 'custom';
  /** Of the option; the key of the field. */
  name: string;
  values: readonly string[];
  /** Of those values that a product has or has had. */
  ids: readonly number[];
}

/** A facet in the form of the parameter `facets`. */
export type FacetKey =
  | { of: 'option' | 'custom'; name: string }
  | { of: 'price' | 'category' | 'collection' | 'in_stock' };

/** Its key in the parameter, in responses and in the table `facet_values`. */
export function keyOf(facet: FacetKey): string {
  if (facet.of === 'option') return `option:${facet.name}`;
  return facet.of === 'custom' ? `custom.${facet.name}` : facet.of;
}

/** Returns null for what is no facet. */
export function parseFacet(text: string): FacetKey | null {
  if (text === 'price' || text === 'category' || text === 'collection' || text === 'in_stock') return { of: text };
  const [, option, field] = /^(?:option:(.+)|custom\.(.+))$/s.exec(text) ?? [];
  if (option !== undefined) return { of: 'option', name: option };
  return field === undefined ? null : { of: 'custom', name: field };
}

/**
 * As a condition over alias p. In a list with variants, each product matches by its own values alone; variants keep none, so all products
 * are read.
 */
export function hasFacet(filter: FacetFilter, withVariants = false): Statement {
  if (withVariants) return hasItself(filter);
  return sql`p.facets <> '{}' and p.facets && ${[...filter.ids]}::int[]`;
}

function hasItself({ of, name, values }: FacetFilter): Statement {
  const among = sql`${[...values]}::text[]`;
  if (of === 'option') {
    return sql`exists (
      select from jsonb_array_elements(p.options) o
      where o ->> 'name' = ${name} and (o ->> 'value' = any(${among}) or o -> 'values' ?| ${among}))`;
  }
  return sql`exists (
    select from ${customTexts('p.custom', sql`${name}::text`)} where ${KEPT_TEXT} = any(${among}))`;
}
