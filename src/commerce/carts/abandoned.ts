import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import { workerCaller } from '../../caller.ts';
import type { Clock } from '../../clock.ts';
import type { Db, Tx } from '../../db/pool.ts';
import type { Slice } from '../../lib/slice.ts';
import { ownCorrelation } from '../../lib/tracing/correlation.ts';
import { enqueue, type OutboxEvent } from '../../outbox/service.ts';
import { eachCompany, inSets } from '../../work/sets.ts';
import type { Wake } from '../../work/worker-names.ts';
import type { ShopCache } from '../shop.ts';
import * as queries from './event-queries.ts';
import { cartAbandoned, itemsOf } from './events.ts';
import { priceCarts } from './priced.ts';
import { recoverUrl } from './recovery.ts';
import type { CartRow } from './row.ts';

const SET = 200;
const MINUTE_MS = 60_000;
/** A chore is not interrupted within a slice. */
const NEVER = new AbortController().signal;

interface AbandonedDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  shops: ShopCache;
  messaging: { tokenKey: KeyObject };
  wake: Wake;
}

/**
 * Raises `cart_abandoned` of carts that their buyers have left, one set of each company in a slice. The transaction that writes the events
 * marks the carts, whose locks keep other processes away: so each cart has one event until it changes again. See docs/design/carts.md.
 */
export function raiseAbandoned({ db, clock, log, shops, messaging, wake }: AbandonedDeps): Slice<true> {
  async function raiseSet(companyId: number, limit: number, attempt: Attempt): Promise<number> {
    const [shop, now] = [await shops.get(companyId), clock.now()];
    const before = new Date(now.getTime() - shop.checkout.abandoned_after_minutes * MINUTE_MS);

    async function eventsOf(tx: Tx, rows: readonly CartRow[]): Promise<OutboxEvent[]> {
      const ids = rows.map(({ id }) => id);
      const [ordered, carts] = await Promise.all([
        queries.findOrderedSince(tx, companyId, ids),
        priceCarts(tx, workerCaller(companyId, 'carts', now), shop, rows),
      ]);
      return carts
        .filter((cart) => !ordered.has(cart.row.id) && itemsOf(cart, shop).length > 0)
        .map((cart) => cartAbandoned(cart, shop, recoverUrl(messaging.tokenKey, shop, cart.row.id), now));
    }

    return db.tenantTx(companyId, async (tx) => {
      const rows = await queries.takeUntouched(tx, companyId, before, limit);
      attempt.first = rows[0]?.id;
      if (rows.length === 0) return 0;
      const events = await eventsOf(tx, rows);
      await Promise.all([
        queries.markAbandoned(
          tx,
          companyId,
          rows.map(({ id }) => id),
        ),
        enqueue(tx, companyId, events, ownCorrelation()),
      ]);
      return rows.length;
    });
  }

  /** Leaves out the event of a cart that cannot be read, so that it does not hold up the others. */
  async function leaveOut(companyId: number, { first }: Attempt, error: unknown): Promise<number> {
    if (first === undefined) throw error;
    log.error({ err: error, company_id: companyId, cart_id: first }, 'an abandoned cart raised no event');
    await db.tenantTx(companyId, (tx) => queries.markAbandoned(tx, companyId, [first]));
    return 1;
  }

  return async () => {
    const companies = await queries.companiesWithUntouched(db, clock.now());
    const done = await eachCompany(companies, NEVER, (companyId) => {
      const attempt: Attempt = { first: undefined };
      return inSets({
        size: SET,
        work: (limit) => raiseSet(companyId, limit, attempt),
        giveUp: (error) => leaveOut(companyId, attempt, error),
      });
    });
    if (done > 0) wake('outbox');
    return { done, next: done > 0 ? true : null };
  };
}

/** The first cart that the last attempt took, for the case that the attempt fails. */
interface Attempt {
  first: number | undefined;
}
