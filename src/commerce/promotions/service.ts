import type { Caller } from '../../caller.ts';
import { constraintOf, type Db, type Tx } from '../../db/pool.ts';
import { AppError, found, validationFailed } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { type ConfigurationDeps, configure } from '../configuration.ts';
import type { Shop, ShopCache } from '../shop.ts';
import type { PromoCode, PromoCodeInput, PromoCodePatch, PromoCodeQuery } from './contract.ts';
import { changedPromo, newPromo, promoRecord } from './fields.ts';
import * as queries from './queries.ts';

/** Newest first. */
export async function listPromoCodes(db: Db, shop: Shop, query: PromoCodeQuery): Promise<Page<PromoCode>> {
  const page = pageOf(query);
  const filters = { code: query.code?.trim(), active: query.active };
  const [total, rows] = await Promise.all([
    queries.countPromos(db, shop.companyId, filters),
    queries.listPromos(db, shop.companyId, filters, page),
  ]);
  return { rows: rows.map((row) => promoRecord(row, shop)), total, ...page };
}

/** Throws not_found. */
export async function getPromoCode(db: Db, shop: Shop, id: number): Promise<PromoCode> {
  return promoRecord(found(await queries.findPromo(db, shop.companyId, id), 'promo code'), shop);
}

/** Throws validation_failed, duplicate. */
export async function createPromoCode(
  deps: ConfigurationDeps,
  shop: Shop,
  caller: Caller,
  input: PromoCodeInput,
): Promise<PromoCode> {
  const { companyId, now } = caller;
  const values = newPromo(input, shop);
  return configure(deps, caller, { action: 'promo_code.create', details: input }, async (tx) => {
    await checkProducts(tx, companyId, values.product_ids);
    return promoRecord(await unique(() => queries.insertPromo(tx, companyId, values, now)), shop);
  });
}

/** Sets what is given. Throws not_found, validation_failed, duplicate. */
export async function updatePromoCode(
  deps: ConfigurationDeps,
  shop: Shop,
  caller: Caller,
  id: number,
  patch: PromoCodePatch,
): Promise<PromoCode> {
  const { companyId, now } = caller;
  return configure(deps, caller, { action: 'promo_code.update', details: patch }, async (tx) => {
    const old = found(await queries.lockPromo(tx, companyId, id), 'promo code');
    const values = changedPromo(patch, old, shop);
    await checkProducts(tx, companyId, values.product_ids);
    return promoRecord(await unique(() => queries.updatePromo(tx, companyId, id, values, now)), shop);
  });
}

/**
 * Gives the code as it was. Nothing of its history is lost: orders hold its text and what it took off them. Throws
 * not_found.
 */
export async function deletePromoCode(
  deps: ConfigurationDeps,
  shop: Shop,
  caller: Caller,
  id: number,
): Promise<PromoCode> {
  return configure(deps, caller, { action: 'promo_code.delete' }, async (tx) =>
    promoRecord(found(await queries.deletePromo(tx, caller.companyId, id), 'promo code'), shop),
  );
}

async function checkProducts(tx: Tx, companyId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const unknown = await queries.findUnknownProducts(tx, companyId, ids);
  if (unknown.length === 0) return;
  throw validationFailed(
    unknown.map((id) => ({ field: 'product_ids', code: 'unknown', message: `product_ids: there is no product ${id}` })),
  );
}

async function unique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (constraintOf(error) !== 'promo_codes_code') throw error;
    throw new AppError('duplicate', 'Another promo code has this code', { field: 'code' });
  }
}

/** The service as handlers are given it: it holds the database, and takes the lane that each read needs. */
export function createPromotionsService(deps: ConfigurationDeps & { shops: ShopCache }) {
  const { db, shops } = deps;
  return {
    listPromoCodes: async (companyId: number, query: PromoCodeQuery) =>
      listPromoCodes(db.lists(companyId), await shops.get(companyId), query),
    getPromoCode: async (companyId: number, id: number) =>
      getPromoCode(db.points(companyId), await shops.get(companyId), id),
    createPromoCode: async (caller: Caller, input: PromoCodeInput) =>
      createPromoCode(deps, await shops.get(caller.companyId), caller, input),
    updatePromoCode: async (caller: Caller, id: number, patch: PromoCodePatch) =>
      updatePromoCode(deps, await shops.get(caller.companyId), caller, id, patch),
    deletePromoCode: async (caller: Caller, id: number) =>
      deletePromoCode(deps, await shops.get(caller.companyId), caller, id),
  };
}

export type PromotionsService = ReturnType<typeof createPromotionsService>;
