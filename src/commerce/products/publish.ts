import type { Logger } from 'pino';
import { recordAuditEntry } from '../../access/audit.ts';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import type { FieldError } from '../../errors.ts';
import type { Slice } from '../../lib/slice.ts';
import type { ProductStatus } from './contract.ts';
import * as queries from './queries.ts';

/** When a product with the new status will be published. `before` is its date until now; adds an error for a date that does not fit. */
export function readPublishAt(
  given: string | null | undefined,
  { status, before, now }: { status: ProductStatus; before: Date | null; now: Date },
  errors: FieldError[],
): Date | null {
  const field = 'publish_at';
  const at = given === undefined ? before : given === null ? null : new Date(given);
  // A client that sends the whole record back leaves the date as it is.
  const isNew = at !== null && at.getTime() !== before?.getTime();
  if (isNew && status !== 'draft') errors.push({ field, code: 'not_allowed', message: `${field} is for drafts only` });
  else if (isNew && at <= now) errors.push({ field, code: 'out_of_range', message: `${field} must be in the future` });
  return status === 'draft' ? at : null;
}

const COMPANIES_AT_ONCE = 200;
const PRODUCTS_AT_ONCE = 100;

/** Makes drafts active whose date has come, some of each company at a time. Each is published once: its date goes with the status. */
export function publishDueProducts({ db, clock, log }: { db: Db; clock: Clock; log: Logger }): Slice<true> {
  return async () => {
    const now = clock.now();
    const companies = await queries.companiesWithDue(db, now, COMPANIES_AT_ONCE);
    let done = 0;
    for (const companyId of companies) {
      done += await publishSome(db, companyId, now).catch((error: unknown) => {
        if (isUnavailable(error)) throw error;
        // The other companies continue.
        log.error({ err: error, company_id: companyId }, 'products could not be published');
        return 0;
      });
    }
    return { done, next: done > 0 ? true : null };
  };
}

async function publishSome(db: Db, companyId: number, now: Date): Promise<number> {
  return db.tenantTx(companyId, async (tx) => {
    const due = await queries.findDue(tx, companyId, now, PRODUCTS_AT_ONCE);
    // Every change of a product locks its stock first.
    await queries.lockProducts(tx, companyId, due);
    // Somebody may have changed one in the meantime.
    const published = await queries.publishDue(tx, companyId, due, now);
    for (const { id, publish_at } of published) {
      const entry = {
        action: 'product.publish',
        target: `product:${id}`,
        details: { publish_at: publish_at.toISOString() },
      };
      await recordAuditEntry(tx, companyId, { at: now, actor: 'program', ...entry });
    }
    return published.length;
  });
}
