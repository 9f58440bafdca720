import type { Queryable, Tx } from '../../../db/pool.ts';
import type { FieldError } from '../../../errors.ts';
import { nameCategories } from '../../categories/queries.ts';
import { replaceInCollections, updateMemberships } from '../../collections/member-queries.ts';
import { fittingValues, type ValueContext } from '../../custom-fields/values.ts';
import type { ImportStamp, Stamp } from '../../inventory/stock.ts';
import { pictureInUrl } from '../../pictures/address.ts';
import { type Relinking, relinkPictures } from '../../pictures/links.ts';
import type { OptionValue, ProductOption } from '../contract.ts';
import { keepFacets } from '../facets/keep-queries.ts';
import { searchTextOf } from '../fields.ts';
import { insertProducts, type NewProduct } from '../queries.ts';
import { freeSlugs, slugify } from '../slug.ts';
import { findTakenSlugs, lockSlugs } from '../slug-queries.ts';
import { titleOf, variantName } from '../variants/options.ts';
import { becomeVariants, setFamily, setOptions, updateParent } from '../variants/queries.ts';
import { type Family, FamilyPlans, findFamilies, type Place, type Refusal } from './families.ts';
import * as fetches from './fetch-queries.ts';
import { spellingsOf } from './names.ts';
import {
  CustomFault,
  type ImportedProduct,
  type Matching,
  matchProducts,
  nextProduct,
  optionsOf,
  type ProductRow,
  type ProductSnapshot,
} from './plan.ts';
import * as queries from './queries.ts';
import { storedPictures } from './stored-pictures.ts';

export interface ProductOutcome {
  /** `barcode_taken` (another product has the barcode) and the following: nothing is written. */
  outcome: 'created' | 'updated' | 'unchanged' | Refused['refusal'];
  /** With `custom_refused`. */
  fault: FieldError | null;
  id: number | null;
  /** Null, too, of a variant that is unchanged itself while its parent is updated. */
  before: ProductSnapshot | null;
}

/** What an undo needs to take variants out of a parent. */
export interface WrittenFamily {
  parent: number;
  /** Whether the import created the parent. */
  created: boolean;
  /** New variants, and simple products that became variants. */
  members: number[];
  /** The options of a stored parent before; null if they are the same. */
  options: ProductOption[] | null;
}

export interface WrittenProducts {
  /** One for each product, in their order. */
  outcomes: ProductOutcome[];
  /** Stored parents as they were before their variants changed them. */
  parents: ProductSnapshot[];
  families: WrittenFamily[];
}

interface Options extends Matching {
  onlyNew: boolean;
  /** What custom values are checked against. */
  custom: ValueContext;
}

/** Why nothing is written of a product. */
interface Refused {
  refusal: 'barcode_taken' | 'no_parent' | 'custom_refused' | Refusal;
  fault?: FieldError;
}

function keysOf(products: ImportedProduct[], anyOfName: boolean) {
  const skus = products.map(({ sku }) => sku).filter((sku) => sku !== null);
  const slugs = products.flatMap(({ slug, sku, variant }) => {
    if (slug !== null) return [slug];
    // A variant that was imported as a product of its own has the slug that it would get.
    return variant === undefined || sku !== null ? [] : [variantSlug(variant.family.parent.slug, variant.options)];
  });
  const nameless = products.filter(
    ({ sku, slug, variant }) => slug === null && variant === undefined && (sku === null || anyOfName),
  );
  const names = [...new Set(nameless.flatMap(({ name }) => spellingsOf(name)))];
  return { skus, slugs, names };
}

function variantSlug(parent: string, options: readonly OptionValue[]): string {
  return slugify(`${parent} ${titleOf(options)}`);
}

/** A product's stored state and its new one, which is null if nothing changes; or why it is refused. */
type Plan =
  | Refused
  | { old: ProductSnapshot | undefined; row: ProductRow | null; place: Place | null; parentChanges: boolean };

async function planProducts(
  db: Queryable,
  companyId: number,
  products: ImportedProduct[],
  { onlyNew, anyOfName, custom, lock }: Options & { lock: boolean },
): Promise<{ plans: Plan[]; families: Family[] }> {
  const found = await findFamilies(db, companyId, products);
  const stored = await queries.findSnapshots(db, companyId, { ...keysOf(products, anyOfName), ids: found.ids }, lock);
  const storedOf = matchProducts(stored, { anyOfName });
  const withStored = await storedPictures(db, companyId, stored);
  const barcodes = products.flatMap(({ fields }) => fields.barcode ?? []);
  const holders = new Map<string, object>();
  for (const { id, barcode } of await queries.findBarcodes(db, companyId, barcodes)) {
    holders.set(barcode, stored.find((one) => one.id === id) ?? {});
  }
  const families = new FamilyPlans(found, stored, { withStored, onlyNew, custom });
  const alone = (product: ImportedProduct, old: ProductSnapshot | undefined): Plan => {
    if (product.is_parent && (old === undefined || old.variant_count === 0)) return { refusal: 'no_parent' };
    const row = old !== undefined && onlyNew ? null : nextProduct(withStored(product, old), old, custom);
    return { old, row, place: null, parentChanges: false };
  };
  const planOne = (product: ImportedProduct, match: ProductSnapshot | undefined): Plan => {
    const { variant } = product;
    try {
      return variant === undefined ? alone(product, match) : families.plan(product, variant, match);
    } catch (error) {
      if (error instanceof CustomFault) return { refusal: 'custom_refused', fault: error.error };
      throw error;
    }
  };
  const plans = products.map((product): Plan => {
    const match = storedOf(product);
    const plan = planOne(product, match);
    if ('refusal' in plan) return plan;
    const { old, row } = plan;
    if (row !== null && row.barcode !== null) {
      const own = old ?? row;
      if ((holders.get(row.barcode) ?? own) !== own) return { refusal: 'barcode_taken' };
      holders.set(row.barcode, own);
    }
    return plan;
  });
  return { plans, families: families.all() };
}

function outcomeOf({ old, row, place, parentChanges }: Exclude<Plan, { refusal: unknown }>) {
  if (old === undefined) return 'created';
  return row === null && place === null && !parentChanges ? 'unchanged' : 'updated';
}

/** Returns what `writeImportedProducts` would do. */
export async function checkImportedProducts(
  db: Queryable,
  companyId: number,
  products: ImportedProduct[],
  options: Options,
): Promise<Pick<ProductOutcome, 'outcome' | 'fault'>[]> {
  const { plans } = await planProducts(db, companyId, products, { ...options, lock: false });
  return plans.map((plan) =>
    'refusal' in plan
      ? { outcome: plan.refusal, fault: plan.fault ?? null }
      : { outcome: outcomeOf(plan), fault: null },
  );
}

/** A stored product with its new state. */
type Changed = ProductRow & { id: number; old: ProductSnapshot };

/**
 * Creates and updates products, in a constant number of statements and a few for each parent. Their SKUs and slugs must be distinct. A parent
 * is created with its first variant; simple products that are its variants in the file become them.
 */
export async function writeImportedProducts(
  tx: Tx,
  companyId: number,
  products: ImportedProduct[],
  { onlyNew, anyOfName, custom, ...stamp }: Options & ImportStamp,
): Promise<WrittenProducts> {
  await lockSlugs(tx, companyId, 'generated');
  const { plans, families } = await planProducts(tx, companyId, products, {
    onlyNew,
    anyOfName,
    custom,
    lock: !onlyNew,
  });
  const fresh: { place: number; row: ProductRow; at: Place | null }[] = [];
  const changed: Changed[] = [];
  const moving: Moving[] = [];
  const outcomes = plans.map((plan, place): ProductOutcome => {
    if ('refusal' in plan) return { outcome: plan.refusal, fault: plan.fault ?? null, id: null, before: null };
    const { old, row, place: at } = plan;
    const outcome = outcomeOf(plan);
    if (old === undefined) fresh.push({ place, row: row!, at });
    else if (changed.some(({ id }) => id === old.id) || moving.some(({ id }) => id === old.id)) {
      return { outcome: 'unchanged', fault: null, id: old.id, before: null };
    } else {
      if (row !== null) changed.push({ ...row, id: old.id, old });
      if (at !== null) moving.push({ id: old.id, old, place: at });
    }
    const isItself = row !== null || at !== null;
    return { outcome, fault: null, id: old?.id ?? null, before: isItself ? (old ?? null) : null };
  });
  // One that has a row of its own in the batch, too, is changed by that.
  const parents = families.flatMap(({ old, row }) =>
    old === undefined || row === null || changed.some(({ id }) => id === old.id) ? [] : [{ ...row, id: old.id, old }],
  );
  const relinked: Relinking[] = [...parents, ...changed].map(({ id, images, old }) => ({
    productId: id,
    before: old.images,
    after: images,
  }));
  const written = new Map<Family, Written>();
  const placed = [...moving.map(({ place }) => place.family), ...fresh.flatMap(({ at }) => at?.family ?? [])];
  if (placed.length > 0) {
    await renameForParents(tx, companyId, moving, changed, { custom, now: stamp.now });
    for (const one of await writeParents(tx, companyId, placed, stamp)) {
      written.set(one.family, one);
      if (one.created) relinked.push({ productId: one.id, before: [], after: one.images });
    }
    await joinFamilies(tx, companyId, moving, written, stamp.now);
  }
  const updated = [...parents, ...changed.map((one) => asMember(one, moving, written))];
  if (updated.length > 0) await queries.updateProducts(tx, companyId, updated, stamp);
  for (const { family, id, created } of written.values()) {
    const fields = family.row ?? family.old!;
    if (created || !hasNewValues(family)) continue;
    await setOptions(tx, companyId, id, { options: family.options, search: searchTextOf(fields, family.options) });
  }
  if (fresh.length > 0) {
    const rows = fresh.map(({ place, row, at }) =>
      at === null ? row : newVariant(row, products[place]!, at, written),
    );
    await freeSlugs(rows, (asked) => findTakenSlugs(tx, companyId, asked));
    const ids = await insertProducts(tx, companyId, rows, stamp);
    for (const [i, { place }] of fresh.entries()) {
      const { slug, images } = rows[i]!;
      const id = ids.get(slug)!;
      outcomes[place]!.id = id;
      relinked.push({ productId: id, before: [], after: images });
    }
  }
  const done = products.filter((_, place) => ['created', 'updated'].includes(outcomes[place]!.outcome));
  await nameCategories(tx, companyId, namesIn(done), stamp.now);
  for (const { id } of written.values()) await updateParent(tx, companyId, id);
  const joining = moving.filter(({ old }) => old.variant_of === null);
  for (const [family, joined] of Map.groupBy(joining, ({ place }) => place.family)) {
    const ids = joined.map(({ id }) => id);
    await replaceInCollections(tx, companyId, ids, [written.get(family)!.id]);
  }
  const touched = outcomes.filter(({ outcome }) => outcome === 'created' || outcome === 'updated');
  const parentIds = [...written.values()].map(({ id }) => id);
  const faceted = [
    ...parentIds,
    ...[...changed, ...parents]
      .filter(({ custom, old }) => old.variant_of !== null || hasAny(custom) || hasAny(old.custom))
      .map(({ id }) => id),
    ...fresh.filter(({ row }) => hasAny(row.custom)).map(({ place }) => outcomes[place]!.id!),
  ];
  await keepFacets(tx, companyId, faceted);
  await updateMemberships(tx, companyId, [
    ...touched.map(({ id }) => id!),
    ...parentIds,
    ...parents.map(({ id }) => id),
  ]);
  await relinkPictures(tx, { companyId, now: stamp.now }, relinked);
  const wanted = relinked.flatMap(({ productId, after }) =>
    after.filter(({ url }) => pictureInUrl(url, companyId) === null).map(({ url }) => ({ productId, url })),
  );
  if (wanted.length > 0) await fetches.requestFetches(tx, companyId, wanted, stamp.now);
  const members = [
    ...joining.map(({ id, place }) => ({ id, family: place.family })),
    ...fresh.flatMap(({ place, at }) => (at === null ? [] : [{ id: outcomes[place]!.id!, family: at.family }])),
  ];
  return {
    outcomes,
    parents: parents.map(({ old }) => old),
    families: [...written.values()].map(({ family, id, created }) => ({
      parent: id,
      created,
      members: members.filter((one) => one.family === family).map((one) => one.id),
      options: created || !hasNewValues(family) ? null : optionsOf(family.old!),
    })),
  };
}

function namesIn(products: readonly ImportedProduct[]): Map<string, string> {
  const parents = products.flatMap(({ variant }) => variant?.family.parent ?? []);
  return new Map([...products, ...parents].flatMap((product) => [...product.category_names]));
}

/** A stored product that gets a place among the variants of a parent, or another one. */
interface Moving {
  id: number;
  old: ProductSnapshot;
  place: Place;
}

/** A parent with its id. */
interface Written {
  family: Family;
  id: number;
  slug: string;
  created: boolean;
  images: ProductRow['images'];
}

function hasAny(custom: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(custom).length > 0;
}

function hasNewValues({ old, options }: Family): boolean {
  return old !== undefined && JSON.stringify(optionsOf(old)) !== JSON.stringify(options);
}

/** A new parent takes over the slug of a simple product that becomes its variant, and takes all such products out of their categories. */
async function renameForParents(
  tx: Tx,
  companyId: number,
  moving: readonly Moving[],
  changed: Changed[],
  { custom, now }: { custom: ValueContext; now: Date },
): Promise<void> {
  const joining = moving.filter(({ old }) => old.variant_of === null);
  if (joining.length === 0) return;
  const renamed = joining
    .filter(({ old, place }) => place.family.old === undefined && old.slug === place.family.row!.slug)
    .map(({ id, old, place }) => ({ id, slug: variantSlug(old.slug, place.options) }));
  await freeSlugs(renamed, (asked) => findTakenSlugs(tx, companyId, asked));
  const slugOf = new Map(renamed.map(({ id, slug }) => [id, slug]));
  const rows = joining.map(({ id, old }) => ({
    id,
    slug: slugOf.get(id) ?? null,
    custom: fittingValues(custom, 'variant', old.custom),
  }));
  await becomeVariants(tx, companyId, rows, now);
  for (const one of changed) one.slug = slugOf.get(one.id) ?? one.slug;
}

/** Creates the parents that do not exist, and returns all. */
async function writeParents(tx: Tx, companyId: number, placed: readonly Family[], stamp: Stamp): Promise<Written[]> {
  const families = [...new Set(placed)];
  const made = families.filter(({ old }) => old === undefined);
  const rows = made.map((family): NewProduct => {
    const { options } = family;
    const variant_count = placed.filter((one) => one === family).length;
    return { ...family.row!, stock_qty: 0, options, variant_count, search: searchTextOf(family.row!, options) };
  });
  await freeSlugs(rows, (asked) => findTakenSlugs(tx, companyId, asked));
  const ids = rows.length === 0 ? new Map<string, number>() : await insertProducts(tx, companyId, rows, stamp);
  const slugOf = new Map(made.map((family, i) => [family, rows[i]!.slug]));
  return families.map((family) => {
    const slug = slugOf.get(family) ?? family.old!.slug;
    const { images } = family.row ?? family.old!;
    return { family, id: ids.get(slug) ?? family.old!.id, slug, created: family.old === undefined, images };
  });
}

/** Gives stored products their options and places among the variants of their parents. */
async function joinFamilies(
  tx: Tx,
  companyId: number,
  moving: readonly Moving[],
  written: ReadonlyMap<Family, Written>,
  now: Date,
): Promise<void> {
  for (const [family, members] of Map.groupBy(moving, ({ place }) => place.family)) {
    const { name, categories } = family.row ?? family.old!;
    const variants = members.map(({ id, place }) => ({ id, options: place.options, position: place.position }));
    await setFamily(tx, companyId, { id: written.get(family)!.id, name, categories }, variants, now);
  }
}

/** A changed product that has become a variant in the meantime. */
function asMember(one: Changed, moving: readonly Moving[], written: ReadonlyMap<Family, Written>): Changed {
  const place = moving.find(({ id }) => id === one.id)?.place;
  return place === undefined ? one : { ...one, old: { ...one.old, variant_of: written.get(place.family)!.id } };
}

function newVariant(
  row: ProductRow,
  { slug }: ImportedProduct,
  { family, options, position }: Place,
  written: ReadonlyMap<Family, Written>,
): NewProduct {
  const parent = written.get(family)!;
  const title = titleOf(options);
  const { name } = family.row ?? family.old!;
  return {
    ...row,
    name: variantName(name, title),
    slug: slug ?? variantSlug(parent.slug, options),
    variant_of: parent.id,
    title,
    position,
    options,
  };
}
