import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Queryable } from '../../db/pool.ts';
import { AppError, type FieldError, found, invalidField, validationFailed } from '../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../lib/paging.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { enqueue } from '../../outbox/service.ts';
import { type ConfigurationDeps, configure } from '../configuration.ts';
import { readDecimal } from '../fields.ts';
import { fromMicros, fromMinor, MICROS } from '../money.ts';
import { DEFAULT_LOYALTY, type Shop, type ShopCache } from '../shop.ts';
import type { Adjustment, LedgerEntry, LoyaltyBalance, LoyaltyProgram, LoyaltyProgramPatch } from './contract.ts';
import { postLedger } from './ledger.ts';
import { pointsValue } from './points.ts';
import * as queries from './queries.ts';

export { countOrders, lockAccounts, moveAccount } from './merge-queries.ts';
export { postLedger };

export type LoyaltyService = ReturnType<typeof createLoyaltyService>;

/** Customers' points and the loyalty program. */
export function createLoyaltyService(deps: ConfigurationDeps & { shops: ShopCache }) {
  const { db, shops } = deps;
  return {
    /** Throws not_found. */
    async getBalance(companyId: number, customerId: number): Promise<LoyaltyBalance> {
      const shop = await shops.get(companyId);
      const balance = await queries.findBalance(db.points(companyId), companyId, customerId);
      return balanceRecord(shop, customerId, found(balance, 'customer'));
    },

    /** Returns the customer's entries, newest first. Throws not_found. */
    async listLedger(companyId: number, customerId: number, query: PageQuery): Promise<Page<LedgerEntry>> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      const [balance, total, rows] = await Promise.all([
        queries.findBalance(lane, companyId, customerId),
        queries.countLedger(lane, companyId, customerId),
        queries.listLedger(lane, companyId, customerId, page),
      ]);
      found(balance, 'customer');
      return { rows: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })), total, ...page };
    },

    /**
     * Adds points, or takes points that the customer has; also while the program is disabled. Throws not_found,
     * validation_failed, insufficient_points.
     */
    async adjustBalance(caller: Caller, customerId: number, adjustment: Adjustment): Promise<LoyaltyBalance> {
      const { companyId, actor, now } = caller;
      const { points } = adjustment;
      const shop = await shops.get(companyId);
      if (points === 0) throw invalidField('points', 'points must not be 0', 'out_of_range');
      const reason = adjustment.reason || undefined;
      return write(db, caller, async (tx) => {
        found(await queries.findBalance(tx, companyId, customerId), 'customer');
        await postLedger(tx, companyId, [{ customerId, type: 'adjust', points, orderId: null, actor, reason }], now);
        // Read again: posting locked the account, so this balance is the one that will be committed.
        const after = found(await queries.findBalance(tx, companyId, customerId), 'customer');
        if (points < 0 && after.balance < after.reserved) {
          const balance = after.balance - after.reserved - points;
          throw new AppError('insufficient_points', `The customer has ${balance} points`, { balance });
        }
        const person = found(await queries.findPerson(tx, companyId, customerId), 'customer');
        const change = { points, balance: after.balance, reason: reason ?? null };
        const payload = { customer_id: String(customerId), ...person, ...change };
        await enqueue(tx, companyId, [{ topic: 'loyalty_adjusted', payload, occurredAt: now }], correlationOf(caller));
        return balanceRecord(shop, customerId, after);
      });
    },

    async getProgram(companyId: number): Promise<LoyaltyProgram> {
      return programRecord((await shops.get(companyId)).loyalty);
    },

    /** Sets the given fields. Throws validation_failed. */
    async updateProgram(caller: Caller, patch: LoyaltyProgramPatch): Promise<LoyaltyProgram> {
      const settings = settingsOf(patch);
      return configure(deps, caller, { action: 'loyalty.update', details: patch }, async (tx) => {
        const merged = await queries.mergeLoyaltySettings(tx, caller.companyId, settings);
        return programRecord({ ...DEFAULT_LOYALTY, ...merged });
      });
    },
  };
}

/** Returns points by customer, of those whose company runs the program or who have points. */
export async function pointsOf(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<ReadonlyMap<number, number>> {
  if (customerIds.length === 0) return new Map();
  const rows = await queries.findPoints(db, companyId, customerIds);
  return new Map(rows.map((row) => [row.customer_id, row.points]));
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
