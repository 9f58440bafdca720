import type { Db } from '../../../db/pool.ts';
import { AppError, type FieldError } from '../../../errors.ts';
import { alternatives } from '../../../lib/schemas.ts';
import { type Facet, MAX_FACETS, type ProductQuery } from '../contract.ts';
import { countProducts, type ProductFilters } from '../list-queries.ts';
import { type FacetFilter, type FacetKey, keyOf, parseFacet } from './filters.ts';
import * as queries from './queries.ts';

/** What a list is asked about facets. */
export interface FacetQuery {
  filters: FacetFilter[];
  /** To be counted. */
  facets: AskedFacet[];
}

interface AskedFacet {
  key: FacetKey;
  name: string;
}

const NAMES = { price: 'Price', category: 'Category', collection: 'Collection', in_stock: 'In stock' };

type FieldsByKey = ReadonlyMap<string, queries.FilterableField>;

/** Reads the filters by options and custom fields, and the parameter `facets`. Throws bad_request. */
export async function readFacetQuery(lane: Db, companyId: number, query: ProductQuery): Promise<FacetQuery> {
  const given = [
    ...Object.entries(query.option ?? {}).map(([name, texts]) => ({ of: 'option', name, texts }) as const),
    ...Object.entries(query.custom ?? {}).map(([name, texts]) => ({ of: 'custom', name, texts }) as const),
  ];
  const errors: FieldError[] = [];
  const asked = keysOf(query, errors);
  const names = [...given, ...asked].flatMap((one) => (one.of === 'custom' ? [one.name] : []));
  const found = names.length === 0 ? [] : await queries.findFilterable(lane, companyId, names);
  const fields: FieldsByKey = new Map(found.map((field) => [field.key, field]));
  for (const { of, name } of given) {
    if (of === 'custom' && !fields.has(name)) errors.push(unknown(`custom.${name}`, `custom.${name}`));
  }
  for (const key of asked) {
    if (key.of === 'custom' && !fields.has(key.name)) errors.push(unknown('facets', keyOf(key)));
  }
  if (errors.length > 0) throw new AppError('bad_request', errors[0]!.message, { fields: errors });
  const filters = given.map(({ of, name, texts }) => {
    const meanings = texts.map((text) => alternatives([text]).map((value) => normalised(value, fields.get(name), of)));
    return { of, name, meanings, key: keyOf({ of, name }) };
  });
  const values = filters.flatMap(({ key, meanings }) => meanings.flat().map((value) => ({ key, value })));
  const known = values.length === 0 ? [] : await queries.findValueIds(lane, companyId, values);
  return {
    filters: filters.map(({ of, name, meanings, key }) => {
      const own = known.filter((one) => one.key === key);
      // A text that is a value as a whole, with its commas, does not also mean its parts.
      const meant = meanings.flatMap((each) => (own.some(({ value }) => value === each[0]) ? each.slice(0, 1) : each));
      return { of, name, values: meant, ids: own.filter(({ value }) => meant.includes(value)).map(({ id }) => id) };
    }),
    facets: asked.map((key) => ({ key, name: nameOf(key, fields) })),
  };
}

function unknown(field: string, key: string): FieldError {
  return { field, code: 'unknown', message: `${key} is no filterable custom field of products or variants` };
}

/** Reads the parameter `facets`. */
function keysOf({ facets, include }: ProductQuery, errors: FieldError[]): FacetKey[] {
  if (facets === undefined) return [];
  const fail = (code: string, message: string): void => {
    errors.push({ field: 'facets', code, message });
  };
  // Variants are counted with their parents.
  if (include === 'variants') fail('not_allowed', 'facets cannot be combined with include=variants');
  const texts = [...new Set(facets.split(',').map((text) => text.trim()))];
  if (texts.length > MAX_FACETS) fail('too_long', `facets has more than ${MAX_FACETS}`);
  return texts.flatMap((text) => {
    const key = parseFacet(text);
    if (key === null) {
      fail(
        'not_allowed',
        'facets must be of option:{name}, custom.{key}, price, category, collection and in_stock, separated by commas',
      );
    }
    return key ?? [];
  });
}

/** A value as it is kept: numbers in one form. */
function normalised(value: string, field: queries.FilterableField | undefined, of: 'option' | 'custom'): string {
  if (of === 'option' || (field?.type !== 'integer' && field?.type !== 'decimal')) return value;
  return value !== '' && Number.isFinite(Number(value)) ? String(Number(value)) : value;
}

function nameOf(key: FacetKey, fields: FieldsByKey): string {
  if (key.of === 'option') return key.name;
  return key.of === 'custom' ? fields.get(key.name)!.name : NAMES[key.of];
}

/**
 * Counts the facets of a list with so many products. Those whose filters are not set are counted together, each of the others among the
 * products that the list has without its filter.
 */
export async function countFacets(
  lane: Db,
  companyId: number,
  filters: ProductFilters & { total: number },
  facets: readonly AskedFacet[],
  divisor: number,
): Promise<Facet[]> {
  const counted = new Map<AskedFacet, Facet>();
  const together = facets.filter(({ key }) => !isFiltered(filters, key));
  const alone = facets.filter((facet) => !together.includes(facet)).map((facet) => [facet]);
  for (const group of [together, ...alone].filter(({ length }) => length > 0)) {
    const isWhole = group === together;
    const among = isWhole ? filters : withoutFilter(filters, group[0]!.key);
    const keys = group.map(({ key }) => key);
    const { counted: n, cut, min, max, values } = await queries.countValues(lane, companyId, among, keys);
    const isFull = n === queries.MAX_COUNTED;
    const total = !isFull ? n : isWhole ? filters.total : await countProducts(lane, companyId, among);
    // The list was counted in an earlier statement: it never has fewer products than were counted here.
    const scale = Math.max(1, total / n);
    for (const facet of group) {
      const isPrice = facet.key.of === 'price';
      const isKept = facet.key.of === 'option' || facet.key.of === 'custom';
      counted.set(facet, {
        key: keyOf(facet.key),
        name: facet.name,
        values: (values[keyOf(facet.key)] ?? []).map((one) => ({ ...one, count: Math.round(one.count * scale) })),
        min: isPrice && min !== null ? min / divisor : null,
        max: isPrice && max !== null ? max / divisor : null,
        exact: (!isFull || total <= n) && !(cut && isKept),
      });
    }
  }
  return facets.map((facet) => counted.get(facet)!);
}

function isFiltered(filters: ProductFilters, key: FacetKey): boolean {
  switch (key.of) {
    case 'price':
      return filters.priceMin !== undefined || filters.priceMax !== undefined;
    case 'category':
      return filters.categories !== undefined;
    case 'collection':
      return filters.collections !== undefined;
    case 'in_stock':
      return filters.inStock !== undefined;
    default:
      return filters.facets?.some((one) => keyOf(one) === keyOf(key)) ?? false;
  }
}

function withoutFilter(filters: ProductFilters, key: FacetKey): ProductFilters {
  const { priceMin, priceMax, categories, collections, inStock, facets, ...others } = filters;
  return {
    ...others,
    ...(key.of === 'price' ? {} : { priceMin, priceMax }),
    ...(key.of === 'category' ? {} : { categories }),
    ...(key.of === 'collection' ? {} : { collections }),
    ...(key.of === 'in_stock' ? {} : { inStock }),
    facets: facets?.filter((one) => keyOf(one) !== keyOf(key)),
  };
}
