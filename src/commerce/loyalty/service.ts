import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { AppError, type FieldError, found, invalidField, validationFailed } from '../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../lib/paging.ts';
import { enqueue } from '../../outbox/service.ts';
import { type ConfigurationDeps, configure } from '../configuration.ts';
import { readDecimal } from '../fields.ts';
import { fromMicros, fromMinor, MICROS } from '../money.ts';
import { DEFAULT_LOYALTY, type Shop, type ShopCache } from '../shop.ts';
import type { Adjustment, LedgerEntry, LoyaltyBalance, LoyaltyProgram, LoyaltyProgramPatch } from './contract.ts';
import { postLedger } from './ledger.ts';
import { pointsValue } from './points.ts';
import * as queries from './queries.ts';

export { postLedger };

/** Throws not_found. */
export async function getBalance(db: Db, shop: Shop, customerId: number): Promise<LoyaltyBalance> {
  return balanceRecord(shop, customerId, found(await queries.findBalance(db, shop.companyId, customerId), 'customer'));
}

/** Points by customer, of those whose company runs the program or who have some. */
export async function pointsOf(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<ReadonlyMap<number, number>> {
  if (customerIds.length === 0) return new Map();
  const rows = await queries.findPoints(db, companyId, customerIds);
  return new Map(rows.map((row) => [row.customer_id, row.points]));
}

/** The customer's entries, newest first. Throws not_found. */
export async function listLedger(
  db: Db,
  companyId: number,
  customerId: number,
  query: PageQuery,
): Promise<Page<LedgerEntry>> {
  const page = pageOf(query);
  const [balance, total, rows] = await Promise.all([
    queries.findBalance(db, companyId, customerId),
    queries.countLedger(db, companyId, customerId),
    queries.listLedger(db, companyId, customerId, page),
  ]);
  found(balance, 'customer');
  return { rows: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })), total, ...page };
}

/**
 * Gives points, or takes some that the customer has: also while the program is off. Throws not_found,
 * validation_failed, insufficient_points.
 */
export async function adjustBalance(
  db: Db,
  shop: Shop,
  caller: Caller,
  customerId: number,
  adjustment: Adjustment,
): Promise<LoyaltyBalance> {
  const { companyId, actor, now } = caller;
  const { points } = adjustment;
  if (points === 0) throw invalidField('points', 'points must not be 0', 'out_of_range');
  const reason = adjustment.reason || undefined;
  return write(db, caller, async (tx) => {
    found(await queries.findBalance(tx, companyId, customerId), 'customer');
    await postLedger(tx, companyId, [{ customerId, type: 'adjust', points, orderId: null, actor, reason }], now);
    // Only now is the account locked, so that this is what the balance will be.
    const after = found(await queries.findBalance(tx, companyId, customerId), 'customer');
    if (points < 0 && after.balance < 0) {
      const balance = after.balance - points;
      throw new AppError('insufficient_points', `The customer has ${balance} points`, { balance });
    }
    const person = found(await queries.findPerson(tx, companyId, customerId), 'customer');
    const payload = {
      customer_id: String(customerId),
      ...person,
      points,
      balance: after.balance,
      reason: reason ?? null,
    };
    await enqueue(tx, companyId, [{ topic: 'loyalty_adjusted', payload, occurredAt: now }]);
    return balanceRecord(shop, customerId, after);
  });
}

export function getProgram(shop: Shop): LoyaltyProgram {
  return programRecord(shop.loyalty);
}

/** Sets what is given. Throws validation_failed. */
export async function updateProgram(
  deps: ConfigurationDeps,
  caller: Caller,
  patch: LoyaltyProgramPatch,
): Promise<LoyaltyProgram> {
  const settings = settingsOf(patch);
  return configure(deps, caller, { action: 'loyalty.update', details: patch }, async (tx) => {
    const merged = await queries.mergeLoyaltySettings(tx, caller.companyId, settings);
    return programRecord({ ...DEFAULT_LOYALTY, ...merged });
  });
}

function settingsOf({ points_per_dollar, point_value, ...rest }: LoyaltyProgramPatch): Partial<Shop['loyalty']> {
  const settings: Partial<Shop['loyalty']> = rest;
  if (points_per_dollar !== undefined) settings.points_per_dollar = points_per_dollar * MICROS;
  if (point_value !== undefined) {
    const errors: FieldError[] = [];
    settings.point_value = readDecimal('point_value', point_value, errors);
    if (errors.length > 0) throw validationFailed(errors);
  }
  return settings;
}

function programRecord(loyalty: Shop['loyalty']): LoyaltyProgram {
  const { points_per_dollar, point_value, min_redeem_points, enabled, earn_on } = loyalty;
  return {
    points_per_dollar: fromMicros(points_per_dollar),
    point_value: fromMicros(point_value),
    min_redeem_points,
    enabled,
    earn_on,
  };
}

function balanceRecord(shop: Shop, customerId: number, { balance, lifetime }: queries.Balance): LoyaltyBalance {
  return {
    customer_id: customerId,
    current_balance: balance,
    lifetime_points: lifetime,
    dollar_value: fromMinor(pointsValue(balance, shop.loyalty.point_value, shop.exponent), shop.exponent),
  };
}

/** The service as handlers are given it: it holds the database, and takes the lane that each read needs. */
export function createLoyaltyService(deps: ConfigurationDeps & { shops: ShopCache }) {
  const { db, shops } = deps;
  return {
    getBalance: async (companyId: number, customerId: number) =>
      getBalance(db.points(companyId), await shops.get(companyId), customerId),
    listLedger: (companyId: number, customerId: number, query: PageQuery) =>
      listLedger(db.lists(companyId), companyId, customerId, query),
    adjustBalance: async (caller: Caller, customerId: number, adjustment: Adjustment) =>
      adjustBalance(db.points(caller.companyId), await shops.get(caller.companyId), caller, customerId, adjustment),
    getProgram: async (companyId: number) => getProgram(await shops.get(companyId)),
    updateProgram: (caller: Caller, patch: LoyaltyProgramPatch) => updateProgram(deps, caller, patch),
  };
}

export type LoyaltyService = ReturnType<typeof createLoyaltyService>;
