import type { ProductOutcome } from '../../commerce/products/imported/imported.ts';
import { nameKey } from '../../commerce/products/imported/names.ts';
import type { ImportedProduct } from '../../commerce/products/imported/plan.ts';
import { checkImportedProducts, stockOf, writeImportedProducts } from '../../commerce/products/service.ts';
import type { Fields } from '../formats/format.ts';
import { MISSING } from '../formats/inheritance.ts';
import {
  type ImportContext,
  type ImportKind,
  type JournalEntry,
  type Outcome,
  type Prepared,
  type Read,
  type RowGroup,
  refused,
} from './kind.ts';
import { MAX_DESCRIPTION, readProduct } from './read-product.ts';
import { RowFault, readAt, shown } from './values.ts';
import { isFamily, readFamily, readParentRow } from './variants.ts';

/** Products. Variants become those of a parent, or (choice `variants`) products of their own, named after their options. */
export const productsKind: ImportKind<ImportedProduct> = {
  read(group, context): Read<ImportedProduct>[] {
    const [first] = group.rows as [Fields, ...Fields[]];
    if (first.skip !== undefined) throw new Skipped(first.skip);
    const isGrouped = context.choices.variants !== 'separate';
    if (first.parent_row !== undefined) {
      if (!isGrouped) throw new Skipped(first.parent_row);
      return readParentRow(first, context).map((record) => ({ key: keyOf(record), record }));
    }
    const missing = first[MISSING];
    if (missing !== undefined) {
      const fix = 'add its row, or leave the column out';
      throw new RowFault(
        'parent',
        `its product «${shown(missing)}» is not in the file, which may be too large: ${fix}`,
      );
    }
    if (isGrouped && isFamily(group)) return readFamily(group, context);
    return readGroup(group, context).map((record) => ({ key: keyOf(record), record }));
  },

  async prepare({ companyId, renderer }, products): Promise<Prepared<ImportedProduct>[]> {
    // Variants share the description of their product.
    const texts = [...new Set(products.flatMap((one) => describedOf(one).description ?? []))];
    const sanitised = await renderer.sanitiseDescriptions(companyId, texts);
    const keptOf = new Map(texts.map((text, i) => [text, sanitised[i]!]));
    return products.map((record) => {
      const text = describedOf(record).description;
      if (text === null) return { record };
      const description = keptOf.get(text) ?? null;
      if (description === null) return { refusal: refused('description', 'is HTML that takes too long to read') };
      if (description.length > MAX_DESCRIPTION) {
        const reason = `has at most ${MAX_DESCRIPTION} characters, once its HTML is completed`;
        return { refusal: refused('description', reason) };
      }
      const { variant } = record;
      if (variant === undefined) return { record: { ...record, description } };
      const family = { ...variant.family, parent: { ...variant.family.parent, description } };
      return { record: { ...record, variant: { ...variant, family } } };
    });
  },

  async check(db, { companyId, choices, now }, products) {
    const options = { onlyNew: choices.only_new ?? false, anyOfName: false, now };
    const outcomes = await checkImportedProducts(db, companyId, products, options);
    return outcomes.map(reported);
  },

  async write(tx, { companyId, importId, choices, actor, now }, products) {
    const options = { onlyNew: choices.only_new ?? false, anyOfName: false, actor, now, importId };
    const { outcomes, parents, families } = await writeImportedProducts(tx, companyId, products, options);
    // An undo begins with the last entry: it ungroups, removes new products, restores changed ones, and at last their parents.
    const journal: JournalEntry[] = parents.map((before) => ({
      kind: 'product',
      ids: [before.id],
      before: { ...before, after: before.stock_qty },
    }));
    for (const [i, { id, before, outcome }] of outcomes.entries()) {
      if (outcome !== 'updated' || before === null) continue;
      journal.push({ kind: 'product', ids: [id!], before: { ...before, after: stockOf(products[i]!, before) } });
    }
    const created = outcomes.flatMap(({ outcome, id }) => (outcome === 'created' ? [id!] : []));
    if (created.length > 0) journal.push({ kind: 'product', ids: created, before: null });
    for (const { members, ...family } of families) {
      journal.push({ kind: 'product', ids: members, before: { family } });
    }
    return { outcomes: outcomes.map(({ outcome }) => reported(outcome)), journal };
  },
};

/** What has the description of a record: the product of a variant. */
function describedOf(record: ImportedProduct): ImportedProduct {
  return record.variant?.family.parent ?? record;
}

const REFUSALS: Partial<Record<ProductOutcome['outcome'], Outcome>> = {
  barcode_taken: refused('barcode', 'belongs to another product'),
  no_parent: {
    outcome: 'skipped',
    field: null,
    reason: 'A product with variants is not sold itself, and the file has none of them',
  },
  of_another: refused('sku', 'belongs to a variant of another product'),
  options_differ: refused(null, 'its options are not those that its product has here'),
  options_taken: refused(null, 'another variant of its product has the same options'),
  too_many_values: refused(null, 'an option of its product has 100 values already'),
  too_many_variants: refused(null, 'its product has 2000 variants already'),
};

function reported(outcome: ProductOutcome['outcome']): Outcome {
  return REFUSALS[outcome] ?? { outcome: outcome as 'created' | 'updated' | 'unchanged' };
}

/** A record that is left out on purpose. */
export class Skipped extends Error {}

function keyOf({ sku, slug, name }: ImportedProduct): string {
  if (sku !== null) return `sku ${sku}`;
  return slug !== null ? `slug ${slug}` : `name ${nameKey(name)}`;
}

/** Returns the variants of a product. Fields of the product itself are taken from the first row if a variant lacks them. */
function readGroup({ rows }: RowGroup, context: ImportContext): ImportedProduct[] {
  const [first] = rows as [Fields, ...Fields[]];
  const images = [...new Set(rows.flatMap(({ image }) => (image === undefined ? [] : [image])))];
  const variants = rows.filter((row) => row.only_image === undefined);
  return (variants.length === 0 ? [first] : variants).map((row) => {
    const shared: Fields = { ...row };
    for (const field of ['name', 'description', 'category', 'status', 'archived', 'published'] as const) {
      if (shared[field] === undefined && first[field] !== undefined) shared[field] = first[field];
    }
    const own = row.variant_image === undefined ? images : [row.variant_image, ...images];
    return readAt(rows.indexOf(row), () => readProduct(shared, own, context, variants.length > 1));
  });
}
