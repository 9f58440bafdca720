import type { Caller } from '../../../caller.ts';
import type { Queryable } from '../../../db/pool.ts';
import { AppError, found } from '../../../errors.ts';
import { type Page, pageOf } from '../../../lib/paging.ts';
import { type ConfigurationDeps, configure } from '../../configuration.ts';
import { findPromo, lockPromo } from '../queries.ts';
import type { Coupon, CouponQuery } from './contract.ts';
import * as queries from './queries.ts';

export type { WantedCoupon } from './queries.ts';
export { removeMessageCoupons } from './removal-queries.ts';
export type CouponsService = ReturnType<typeof createCouponsService>;

/** Promo codes for one order each, made from a template. */
export function createCouponsService(deps: ConfigurationDeps) {
  const { db } = deps;
  return {
    /** Throws not_found, also for a promo code that is no template. */
    async createCoupons(caller: Caller, id: number, count: number): Promise<{ template_id: number; codes: string[] }> {
      const { companyId, now } = caller;
      const action = { action: 'promo_code.create_coupons', details: { template_id: id, count } };
      return configure(deps, caller, action, async (tx) => {
        requireTemplate(await lockPromo(tx, companyId, id));
        return { template_id: id, codes: await queries.insertCoupons(tx, companyId, id, count, now) };
      });
    },

    /** Newest first; none for a promo code that is no template. Throws not_found. */
    async listCoupons(companyId: number, id: number, query: CouponQuery): Promise<Page<Coupon>> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      found(await findPromo(lane, companyId, id), 'promo code');
      const { rows, total } = await queries.listCoupons(lane, companyId, id, { ...page, used: query.used });
      return { rows: rows.map(recordOf), total, ...page };
    },
  };
}

function requireTemplate(promo: { is_template: boolean } | undefined): void {
  if (!found(promo, 'promo code').is_template) throw new AppError('not_found', 'Unknown coupon template');
}

function recordOf({ ends_at, created_at, ...row }: queries.CouponRow): Coupon {
  return { ...row, ends_at: ends_at?.toISOString() ?? null, created_at: created_at.toISOString() };
}

/**
 * Returns the coupons of messages, by message and by the template's code in upper case. Each message has one coupon per template, created
 * when it is first requested. Absent if the template does not exist, is inactive or has expired.
 */
export async function issueCoupons(
  db: Queryable,
  companyId: number,
  wanted: queries.WantedCoupon[],
  now: Date,
): Promise<Map<number, Map<string, string>>> {
  const issued = new Map<number, Map<string, string>>();
  const isMissing = (one: queries.WantedCoupon): boolean => issued.get(one.messageId)?.has(one.template) !== true;
  const find = async (some: queries.WantedCoupon[]): Promise<void> => {
    for (const { message_id, template, code } of await queries.findMessageCoupons(db, companyId, some)) {
      const coupons = issued.get(message_id);
      if (coupons === undefined) issued.set(message_id, new Map([[template, code]]));
      else coupons.set(template, code);
    }
  };
  await find(wanted);
  const missing = wanted.filter(isMissing);
  if (missing.length === 0) return issued;
  await queries.insertMessageCoupons(db, companyId, missing, now);
  await find(missing);
  return issued;
}

/** Returns those of the codes (in upper case) that name no template that can create coupons now. */
export async function findUnusableTemplates(
  db: Queryable,
  companyId: number,
  codes: readonly string[],
  now: Date,
): Promise<string[]> {
  if (codes.length === 0) return [];
  const usable = new Set(await queries.findUsableTemplates(db, companyId, codes, now));
  return codes.filter((code) => !usable.has(code));
}
