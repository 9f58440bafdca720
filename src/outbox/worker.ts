import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { acceptsMarketingOf } from '../commerce/customers/service.ts';
import { pointsOf } from '../commerce/loyalty/service.ts';
import type { Db, Tx } from '../db/pool.ts';
import type { EventInput, EventsService } from '../marketing/events/service.ts';
import { eachCompany, inSets } from '../work/sets.ts';
import { createWorker, type Worker } from '../work/worker.ts';
import { messageIdOf, queueDeliveries } from './endpoints/service.ts';
import { companiesWithOutbox, insertRefusals, type RefusedEvent, type TakenEvent, takeOutbox } from './queries.ts';

const BATCH = 500;
const IDLE_MS = 250;
/** Under load, sets of a hundred instead of five: a third less processor time for each order. */
const GATHER_MS = 25;

export interface OutboxDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  events: Pick<EventsService, 'storeEvents'>;
  /** Called after a commit, to have endpoints told soon. */
  onCarried: () => void;
}

/**
 * Carries the shop's deeds over to the marketing side: taken out of the outbox and stored as events in one transaction,
 * so that each arrives exactly once whatever dies in between.
 */
export function createOutboxWorker(deps: OutboxDeps): Worker {
  const { db, clock, log, events: store, onCarried } = deps;

  async function carry(companyId: number, limit: number): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const events = await takeOutbox(tx, companyId, limit);
      if (events.length === 0) return 0;
      const now = clock.now();
      await queueDeliveries(tx, companyId, events, now);
      // An erased customer is nobody for marketing, and must not become a contact again.
      const addressed = events.filter((event) => typeof event.payload.email === 'string');
      const customers = addressed.map(customerOf).filter((id) => id !== null);
      const points = await pointsOf(tx, companyId, [...new Set(customers)]);
      const accepting = await acceptsMarketingOf(tx, companyId, [...new Set(addressed.map(customerIdOf))]);
      const outcomes = await store.storeEvents(
        tx,
        companyId,
        addressed.map((event) => {
          return { ...eventOf(companyId, event, points), acceptsMarketing: accepting.has(customerIdOf(event)) };
        }),
        now,
      );
      const refused = addressed.flatMap((event, i) => {
        const outcome = outcomes[i]!;
        return outcome.ok ? [] : [{ ...event, reason: String((outcome.error as Error).message) }];
      });
      if (refused.length > 0) await refuse(tx, companyId, refused, now);
      return events.length;
    });
  }

  async function refuse(tx: Tx, companyId: number, refused: RefusedEvent[], now: Date): Promise<void> {
    const events = refused.map(({ id, topic, reason }) => ({ id, topic, reason }));
    log.error({ company_id: companyId, events }, 'events of the shop were refused');
    await insertRefusals(tx, companyId, refused, now);
  }

  /** The first event makes every set fail that it is in: kept apart, so that those behind it come through. */
  async function setAside(companyId: number, error: unknown): Promise<number> {
    log.error({ err: error, company_id: companyId }, 'an event of the shop could not be carried over');
    return db.tenantTx(companyId, async (tx) => {
      const [event] = await takeOutbox(tx, companyId, 1);
      if (event === undefined) return 0;
      await refuse(tx, companyId, [{ ...event, reason: 'an internal error' }], clock.now());
      return 1;
    });
  }

  return createWorker({
    name: 'outbox',
    idleMs: IDLE_MS,
    gather: { ms: GATHER_MS, below: BATCH },
    log,
    async run(signal) {
      const carried = await eachCompany(await companiesWithOutbox(db), signal, (companyId) =>
        inSets({
          size: BATCH,
          work: (limit) => carry(companyId, limit),
          giveUp: (error) => setAside(companyId, error),
        }),
      );
      if (carried > 0) onCarried();
      return carried;
    },
  });
}

/**
 * Whose loyalty points the contact is to be told. Each movement has an event behind it; those of an order wait for its
 * end, since a contact written for each order placed would more than double what carrying it costs (60 to 150 µs).
 */
function customerOf(event: TakenEvent): number | null {
  return event.topic === 'order_placed' ? null : customerIdOf(event) || null;
}

/** 0 where the event is no customer's. */
function customerIdOf({ payload }: TakenEvent): number {
  const id = Number(payload.customer_id);
  return Number.isSafeInteger(id) && id > 0 ? id : 0;
}

/** Under an id of its own: a second deed on the same thing (a customer made again) is no repetition of the first. */
function eventOf(companyId: number, event: TakenEvent, points: ReadonlyMap<number, number>): EventInput {
  const { id, topic, payload, occurred_at } = event;
  const balance = points.get(customerOf(event) ?? 0);
  return {
    eventType: topic,
    data: payload,
    occurredAt: occurred_at,
    source: 'shop',
    eventId: messageIdOf(companyId, id),
    ...(balance === undefined ? {} : { contactProperties: { loyalty_points: balance } }),
  };
}
