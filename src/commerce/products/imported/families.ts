import type { Queryable } from '../../../db/pool.ts';
import type { FieldError } from '../../../errors.ts';
import { fittingValues, type ValueContext } from '../../custom-fields/values.ts';
import type { OptionValue, ProductOption } from '../contract.ts';
import { MAX_VARIANTS } from '../kinds.ts';
import { combinationOf, MAX_VALUES, titleOf, valuesFor, variantName } from '../variants/options.ts';
import {
  type ImportedProduct,
  type ImportedVariant,
  nextProduct,
  optionsOf,
  type ProductRow,
  type ProductSnapshot,
  storedRow,
} from './plan.ts';
import * as queries from './queries.ts';

/** Stored parents of the products of a file, and their variants. */
export interface StoredFamilies {
  /** By the key in the file. */
  parentOf: ReadonlyMap<string, number>;
  siblingsOf: ReadonlyMap<number, queries.Sibling[]>;
  /** Variants by their parent and options, the unarchived first. */
  sameOf: ReadonlyMap<string, queries.Sibling[]>;
  /** Parents, and variants with the options of one in the file. */
  ids: number[];
}

/** Slugs that a new parent gets while its own is taken. */
const NUMBERS = Array.from({ length: 31 }, (_, i) => i + 2);

/**
 * Finds the parents of imported variants: by the slug that the file states, otherwise by a variant with the SKU or slug of one in the file,
 * otherwise by the slug made for the parent, or its numbered form while another product has it, and the same name. So found, a parent
 * belongs to one product of the file, and one whose slug is stated to no other. A SKU that rows of several products of the file have may be
 * that of another product: it finds a parent last, and only for a product without other SKUs.
 */
export async function findFamilies(
  db: Queryable,
  companyId: number,
  products: readonly ImportedProduct[],
): Promise<StoredFamilies> {
  const variants = products.flatMap(({ variant, sku, slug }) =>
    variant === undefined ? [] : [{ variant, sku, slug }],
  );
  const parentOf = new Map<string, number>();
  if (variants.length === 0) return { parentOf, siblingsOf: new Map(), sameOf: new Map(), ids: [] };
  const slugs = [...new Set(variants.map(({ variant }) => variant.family.parent.slug))];
  const related = await queries.findRelatives(db, companyId, {
    skus: variants.flatMap(({ sku }) => sku ?? []),
    slugs: [...slugs, ...variants.flatMap(({ slug }) => slug ?? [])],
  });
  const bySlug = new Map(related.map((one) => [one.slug, one]));
  const bySku = new Map(related.map((one) => [one.sku, one]));
  const named = new Set<number>();
  for (const { key, parent, has_slug } of variants.map(({ variant }) => variant.family)) {
    const holder = bySlug.get(parent.slug);
    if (!has_slug || holder === undefined || holder.variant_count === 0) continue;
    parentOf.set(key, holder.id);
    named.add(holder.id);
  }
  const doubtful = new Map<string, ImportedVariant['family']['parent']>();
  for (const { variant, sku, slug } of variants) {
    const { key, parent } = variant.family;
    if (parentOf.has(key)) continue;
    const member = [
      sku === null || variant.shares_sku ? undefined : bySku.get(sku),
      slug === null ? undefined : bySlug.get(slug),
    ].find((one) => typeof one?.variant_of === 'number' && !named.has(one.variant_of));
    if (typeof member?.variant_of === 'number') parentOf.set(key, member.variant_of);
    else if (bySlug.has(parent.slug)) doubtful.set(key, parent);
  }
  const claimed = new Set(parentOf.values());
  const claim = (key: string, name: string, holders: readonly queries.Relative[]): boolean => {
    const own = holders.find((one) => one.variant_count > 0 && one.name === name && !claimed.has(one.id));
    if (own === undefined) return false;
    parentOf.set(key, own.id);
    claimed.add(own.id);
    return true;
  };
  const asked = [...doubtful].filter(
    ([key, { slug, name }]) => !parentOf.has(key) && !claim(key, name, [bySlug.get(slug)!]),
  );
  if (asked.length > 0) {
    const numbered = asked.flatMap(([, { slug }]) => NUMBERS.map((n) => `${slug}-${n}`));
    const found = await queries.findRelatives(db, companyId, { skus: [], slugs: numbered });
    for (const [key, { slug, name }] of asked) {
      const own = new Set(NUMBERS.map((n) => `${slug}-${n}`));
      claim(
        key,
        name,
        found.filter((one) => own.has(one.slug)),
      );
    }
  }
  const withOwnSku = new Set(
    variants.flatMap(({ variant, sku }) => (sku === null || variant.shares_sku ? [] : [variant.family.key])),
  );
  for (const { variant, sku } of variants) {
    const { key } = variant.family;
    const parent = sku === null || !variant.shares_sku ? undefined : bySku.get(sku)?.variant_of;
    if (typeof parent !== 'number' || parentOf.has(key) || withOwnSku.has(key) || claimed.has(parent)) continue;
    parentOf.set(key, parent);
    claimed.add(parent);
  }
  const parents = [...new Set(parentOf.values())];
  const siblings = await queries.findSiblings(db, companyId, parents);
  const siblingsOf = Map.groupBy(siblings, (one) => one.variant_of);
  const sameOf = Map.groupBy(siblings, ({ variant_of, options }) => sameKey(variant_of, options));
  const ids = variants.flatMap(({ variant, sku }) => siblingFor({ parentOf, sameOf }, variant, sku)?.id ?? []);
  return { parentOf, siblingsOf, sameOf, ids: [...parents, ...ids] };
}

/** Returns the stored variant with the same options, unless both have SKUs that differ. */
function siblingFor(
  { parentOf, sameOf }: Pick<StoredFamilies, 'parentOf' | 'sameOf'>,
  { family, options }: ImportedVariant,
  sku: string | null,
): queries.Sibling | undefined {
  const parent = parentOf.get(family.key);
  const same = parent === undefined ? undefined : sameOf.get(sameKey(parent, options));
  return same?.find((one) => sku === null || one.sku === null || one.sku === sku);
}

function sameKey(parent: number, options: readonly OptionValue[]): string {
  return JSON.stringify([parent, ...options.map(({ name, value }) => [name, value]).sort()]);
}

/** A parent with what an import makes of it. */
export interface Family {
  old: ProductSnapshot | undefined;
  /** Its new state; null if a stored parent stays as it is. */
  row: ProductRow | null;
  /** What the file's first variant makes of a stored parent, until a variant is accepted. */
  pending?: ProductRow | null;
  options: ProductOption[];
  /** The combinations of its unarchived variants. */
  taken: Set<string>;
  count: number;
  last: number;
}

/** What a variant gets from an import beside its own fields; null where it stays. */
export interface Place {
  family: Family;
  options: OptionValue[];
  position: number;
}

export type Refusal = 'of_another' | 'options_differ' | 'options_taken' | 'too_many_values' | 'too_many_variants';

export type VariantPlan =
  | { refusal: Refusal }
  | {
      old: ProductSnapshot | undefined;
      row: ProductRow | null;
      place: Place | null;
      /** Whether the variant's row changes its stored parent. */
      parentChanges: boolean;
    };

type WithStored = (product: ImportedProduct, old: ProductSnapshot | undefined) => ImportedProduct;

/** Plans variants in the order of the batch. */
export class FamilyPlans {
  private readonly found: StoredFamilies;
  private readonly byId: ReadonlyMap<number, ProductSnapshot>;
  private readonly withStored: WithStored;
  private readonly onlyNew: boolean;
  private readonly custom: ValueContext;
  /** By the id of the stored parent, or the key in the file: two keys may have one parent. */
  private readonly families = new Map<number | string, Family>();

  constructor(
    found: StoredFamilies,
    stored: readonly ProductSnapshot[],
    { withStored, onlyNew, custom }: { withStored: WithStored; onlyNew: boolean; custom: ValueContext },
  ) {
    this.found = found;
    this.byId = new Map(stored.map((one) => [one.id, one]));
    this.withStored = withStored;
    this.onlyNew = onlyNew;
    this.custom = custom;
  }

  /** @param match the stored product with the SKU, slug or name of the imported one */
  plan(product: ImportedProduct, variant: ImportedVariant, match: ProductSnapshot | undefined): VariantPlan {
    const family = this.familyOf(variant);
    const parent = family.pending ?? family.row ?? family.old!;
    const isForeign =
      match !== undefined &&
      (match.variant_count > 0 || (match.variant_of !== null && match.variant_of !== family.old?.id));
    if (isForeign && product.sku !== null && match.sku === product.sku) return { refusal: 'of_another' };
    const sibling = siblingFor(this.found, variant, product.sku);
    const old = (isForeign ? undefined : match) ?? (sibling === undefined ? undefined : this.byId.get(sibling.id));
    if (old !== undefined && this.onlyNew) return { old, row: null, place: null, parentChanges: false };
    const place = this.placeOf(family, variant, old);
    if (place !== null && 'refusal' in place) return place;
    const options = place?.options ?? (old!.options as OptionValue[]);
    const name = variantName(parent.name, titleOf(options));
    const shared = { name, description: '', categories: parent.categories };
    const isNewcomer = old === undefined || old.variant_of === null;
    const before = old === undefined ? undefined : { ...old, variant_of: family.old?.id ?? 0, ...shared };
    if (before !== undefined && isNewcomer) before.custom = fittingValues(this.custom, 'variant', before.custom);
    const { tax_class, subscription_enabled } = parent;
    const given: ImportedProduct = {
      ...product,
      fields: old === undefined ? { tax_class, subscription_enabled, ...product.fields } : product.fields,
      name,
      description: null,
      categories: old === undefined ? parent.categories : null,
      // A product that became a variant is hidden by its parent.
      status: product.status ?? (isNewcomer && old?.status === parent.status ? 'active' : null),
    };
    const next = nextProduct(this.withStored(given, before), before, this.custom);
    const row = next ?? (isNewcomer ? storedRow(before!) : null);
    if (place !== null) this.take(place, row?.status ?? old!.status, old);
    const { pending } = family;
    if (pending !== undefined) family.row = pending;
    delete family.pending;
    // A new parent takes over the custom values of the products that become its variants.
    if (isNewcomer && old !== undefined && family.old === undefined) {
      family.row = { ...family.row!, custom: { ...old.custom, ...family.row!.custom } };
    }
    return { old, row, place, parentChanges: pending !== undefined && pending !== null };
  }

  all(): Family[] {
    return [...this.families.values()];
  }

  private familyOf(variant: ImportedVariant): Family {
    const { leads } = variant;
    const { key, parent } = variant.family;
    const known = this.found.parentOf.get(key) ?? key;
    const family = this.families.get(known) ?? this.newFamily(variant);
    this.families.set(known, family);
    if (leads && family.old !== undefined && !this.onlyNew) {
      family.pending = nextProduct(this.withStored(parent, family.old), family.old, this.custom);
    }
    return family;
  }

  private newFamily({ family: { key, parent: given, options }, options: own }: ImportedVariant): Family {
    const names = new Set(options.map(({ name }) => name));
    const isListed = own.length === names.size && own.every(({ name }) => names.has(name));
    const stored = this.byId.get(this.found.parentOf.get(key) ?? 0);
    const old = stored !== undefined && stored.variant_count > 0 ? stored : undefined;
    const siblings = old === undefined ? [] : (this.found.siblingsOf.get(old.id) ?? []);
    return {
      old,
      row: old === undefined ? nextProduct(given, undefined, this.custom) : null,
      options: (old === undefined ? (isListed ? options : []) : optionsOf(old)).map(({ name, values }) => ({
        name,
        values: [...values],
      })),
      taken: new Set(siblings.filter(({ archived }) => !archived).map(({ options }) => combinationOf(options))),
      count: siblings.length,
      last: siblings.reduce((last, { position }) => Math.max(last, position), 0),
    };
  }

  /** Returns the options and position that a variant gets; null if it has them. */
  private placeOf(
    family: Family,
    { options, position }: ImportedVariant,
    old: ProductSnapshot | undefined,
  ): Place | { refusal: Refusal } | null {
    const isMember = old !== undefined && old.variant_of !== null;
    const known = family.options.length > 0 ? family.options : options.map(({ name }) => ({ name, values: [] }));
    const names = new Set(known.map(({ name }) => name));
    if (options.length !== known.length || options.some(({ name }) => !names.has(name))) {
      // Options that were renamed here stay as they are.
      return isMember ? null : { refusal: 'options_differ' };
    }
    const next = known.map(({ name, values }) => ({ name, values: [...values] }));
    const errors: FieldError[] = [];
    const ordered = valuesFor(next, options, 'options', errors);
    if (ordered === null || next.some(({ values }) => values.length > MAX_VALUES))
      return { refusal: 'too_many_values' };
    const combination = combinationOf(ordered);
    const isSame = isMember && combinationOf(old.options as OptionValue[]) === combination;
    if (isSame && (position === null || position === old.position)) return null;
    if (!isSame && family.taken.has(combination)) return { refusal: 'options_taken' };
    if (!isMember && family.count >= MAX_VARIANTS) return { refusal: 'too_many_variants' };
    family.options = next;
    return { family, options: ordered, position: position ?? (isMember ? old.position! : family.last + 1) };
  }

  private take({ family, options, position }: Place, status: string, old: ProductSnapshot | undefined): void {
    if (old !== undefined && old.variant_of !== null) family.taken.delete(combinationOf(old.options as OptionValue[]));
    else family.count++;
    if (status === 'active') family.taken.add(combinationOf(options));
    family.last = Math.max(family.last, position);
  }
}
