import type { Clock } from '../../../clock.ts';
import type { Db } from '../../../db/pool.ts';
import type { Slice } from '../../../lib/slice.ts';
import { ownCorrelation } from '../../../lib/tracing/correlation.ts';
import { enqueue, type OutboxEvent } from '../../../outbox/service.ts';
import { eachCompany } from '../../../work/sets.ts';
import type { Wake } from '../../../work/worker-names.ts';
import { findIdentities } from '../../customers/service.ts';
import * as queries from './queries.ts';

const SET = 200;
const DAY_MS = 86_400_000;
/** How long before its last day a method's expiry is announced. */
const NOTICE_DAYS = 30;
/** A chore is not interrupted within a slice. */
const NEVER = new AbortController().signal;

/** Raises `payment_method_expiring` of saved methods, once each, one set of each company in a slice. */
export function raiseExpiring({ db, clock, wake }: { db: Db; clock: Clock; wake: Wake }): Slice<true> {
  async function raiseSet(companyId: number): Promise<number> {
    const now = clock.now();
    return db.tenantTx(companyId, async (tx) => {
      const rows = await queries.takeExpiring(tx, companyId, noticeFor(now), SET);
      if (rows.length === 0) return 0;
      const people = await findIdentities(tx, companyId, [...new Set(rows.map(({ customer_id }) => customer_id))]);
      const events = rows.map((row): OutboxEvent => {
        const { email = null, first_name = '', last_name = '' } = people.get(row.customer_id) ?? {};
        const { id, label, expires_on } = row;
        const method = { saved_method_id: String(id), method: label, expires_on };
        const person = { customer_id: String(row.customer_id), email, first_name, last_name };
        return { topic: 'payment_method_expiring', payload: { ...person, ...method }, occurredAt: now };
      });
      await enqueue(tx, companyId, events, ownCorrelation());
      return rows.length;
    });
  }

  return async () => {
    const companies = await queries.companiesWithExpiring(db, noticeFor(clock.now()));
    const done = await eachCompany(companies, NEVER, raiseSet);
    if (done > 0) wake('outbox');
    return { done, next: done > 0 ? true : null };
  };
}

/** Methods that expire by this date, `YYYY-MM-DD`, are announced. */
function noticeFor(now: Date): string {
  return new Date(now.getTime() + NOTICE_DAYS * DAY_MS).toISOString().slice(0, 10);
}
