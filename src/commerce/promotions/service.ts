import type { Caller } from '../../caller.ts';
import { constraintOf, type Tx } from '../../db/pool.ts';
import { AppError, type FieldError, found, invalidField, validationFailed } from '../../errors.ts';
import { type Page, pageOf, partOf } from '../../lib/paging.ts';
import { sortOf } from '../../lib/sorting.ts';
import { type ConfigurationDeps, configure } from '../configuration.ts';
import type { ShopCache } from '../shop.ts';
import type { PromoCode, PromoCodeInput, PromoCodePatch, PromoCodeQuery } from './contract.ts';
import { changedPromo, newPromo, promoRecord } from './fields.ts';
import { walkPromos } from './list-queries.ts';
import * as queries from './queries.ts';

export type PromotionsService = ReturnType<typeof createPromotionsService>;

/** Promo codes. Orders use them: see orders/placing. */
export function createPromotionsService(deps: ConfigurationDeps & { shops: ShopCache }) {
  const { db, shops } = deps;
  return {
    /** Ordered by `sort`. */
    async listPromoCodes(companyId: number, query: PromoCodeQuery): Promise<Page<PromoCode>> {
      const lane = db.lists(companyId);
      const shop = await shops.get(companyId);
      const page = pageOf(query);
      const filters = filtersOf(query);
      const [total, rows] = await Promise.all([
        queries.countPromos(lane, companyId, filters),
        queries.listPromos(lane, companyId, filters, sortOf(query.sort), page),
      ]);
      return { rows: rows.map((row) => promoRecord(row, shop)), total, ...page };
    },

    /** Yields the whole list, in pages. */
    async *promoCodesInOrder(companyId: number, query: PromoCodeQuery): AsyncGenerator<Page<PromoCode>> {
      const shop = await shops.get(companyId);
      const lane = db.lists(companyId);
      for await (const rows of walkPromos(lane, companyId, filtersOf(query), sortOf(query.sort)))
        yield partOf(rows.map((row) => promoRecord(row, shop)));
    },

    /** Throws not_found. */
    async getPromoCode(companyId: number, id: number): Promise<PromoCode> {
      const shop = await shops.get(companyId);
      return promoRecord(found(await queries.findPromo(db.points(companyId), companyId, id), 'promo code'), shop);
    },

    /** Throws validation_failed, duplicate. */
    async createPromoCode(caller: Caller, input: PromoCodeInput): Promise<PromoCode> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      const values = newPromo(input, shop);
      return configure(deps, caller, { action: 'promo_code.create', details: input }, async (tx) => {
        await checkReferences(tx, companyId, values);
        return promoRecord(await checkUnique(() => queries.insertPromo(tx, companyId, values, now)), shop);
      });
    },

    /** Sets the fields that are given. Throws not_found, validation_failed, duplicate. */
    async updatePromoCode(caller: Caller, id: number, patch: PromoCodePatch): Promise<PromoCode> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      return configure(deps, caller, { action: 'promo_code.update', details: patch }, async (tx) => {
        const old = found(await queries.lockPromo(tx, companyId, id), 'promo code');
        const values = changedPromo(patch, old, shop);
        if (values.is_template !== old.is_template) {
          throw invalidField('is_template', 'is_template cannot be changed', 'not_allowed');
        }
        await checkReferences(tx, companyId, values, old);
        return promoRecord(await checkUnique(() => queries.updatePromo(tx, companyId, id, values, now)), shop);
      });
    },

    /** Returns the deleted code. Orders keep its text and discount. Throws not_found, and validation_failed if it has coupons. */
    async deletePromoCode(caller: Caller, id: number): Promise<PromoCode> {
      const shop = await shops.get(caller.companyId);
      return configure(deps, caller, { action: 'promo_code.delete' }, async (tx) => {
        const deleted = await queries.deletePromo(tx, caller.companyId, id).catch((error) => {
          if (constraintOf(error) !== 'promo_codes_company_id_template_id_fkey') throw error;
          throw invalidField('id', 'The template has coupons: switch it off instead', 'in_use');
        });
        return promoRecord(found(deleted, 'promo code'), shop);
      });
    },
  };
}

type References = Pick<queries.PromoValues, 'product_ids' | 'category_slugs' | 'collection_ids'>;

/**
 * Throws validation_failed for ids that name no product or no collection of the company. Those that the code had already may have been deleted
 * since.
 */
async function checkReferences(
  tx: Tx,
  companyId: number,
  values: References,
  old: References = { product_ids: [], category_slugs: [], collection_ids: [] },
): Promise<void> {
  const productIds = values.product_ids.filter((id) => !old.product_ids.includes(id));
  const collectionIds = values.collection_ids.filter((id) => !old.collection_ids.includes(id));
  const slugs = values.category_slugs.filter((slug) => !old.category_slugs.includes(slug));
  // A category that no product has yet is allowed.
  if (slugs.length > 0) await queries.holdCategories(tx, companyId, slugs);
  const products = productIds.length === 0 ? [] : await queries.findUnknownProducts(tx, companyId, productIds);
  const collections =
    collectionIds.length === 0 ? [] : await queries.findUnknownCollections(tx, companyId, collectionIds);
  const errors = [
    ...products.map((id) => unknown('product_ids', `product ${id}`)),
    ...collections.map((id) => unknown('collection_ids', `collection ${id}`)),
  ];
  if (errors.length > 0) throw validationFailed(errors);
}

function unknown(field: string, name: string): FieldError {
  return { field, code: 'unknown', message: `${field}: there is no ${name}` };
}

/** Runs an insert or update. Throws duplicate where another promo code has this code. */
async function checkUnique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (constraintOf(error) !== 'promo_codes_code') throw error;
    throw new AppError('duplicate', 'Another promo code has this code', { field: 'code' });
  }
}

function filtersOf({ code, active, is_template }: PromoCodeQuery): queries.PromoFilters {
  return { code: code?.trim(), active, is_template };
}
