import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { findErased, findIdentities } from '../commerce/customers/service.ts';
import { pointsOf } from '../commerce/loyalty/service.ts';
import { isDataFault } from '../db/batching/batch.ts';
import type { Db, Tx } from '../db/pool.ts';
import { IMPERSONAL_FIELDS } from '../erasure/impersonal.ts';
import { syncCustomers } from '../marketing/contacts/service.ts';
import type { EventInput, EventsService } from '../marketing/events/service.ts';
import type { Messaging } from '../messaging/service.ts';
import { eachCompany, inSets } from '../work/sets.ts';
import { createWorker, type Worker } from '../work/worker.ts';
import { customerIdOf, newsOf } from './customers/news.ts';
import { messageIdOf, queueDeliveries } from './endpoints/service.ts';
import { companiesWithOutbox, insertRefusals, type RefusedEvent, type TakenEvent, takeOutbox } from './queries.ts';
import { CUSTOMER_UPDATED } from './service.ts';

const BATCH = 500;
const IDLE_MS = 250;
/** Under load, sets of a hundred instead of five: a third less processor time for each order. */
const GATHER_MS = 25;

export interface OutboxDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  events: Pick<EventsService, 'storeEvents'>;
  messaging: Pick<Messaging, 'suppressions'>;
  /** Called after a commit, to have endpoints told soon. */
  onCarried: () => void;
}

/**
 * Carries what the shop did over to the marketing side: taken out of the outbox and stored as events in one transaction,
 * so that each arrives exactly once whatever dies in between.
 */
export function createOutboxWorker(deps: OutboxDeps): Worker {
  const { db, clock, log, events: store, messaging, onCarried } = deps;
  const syncDeps = {
    suppressions: messaging.suppressions,
    findPhones: async (tx: Tx, companyId: number, ids: number[]) =>
      new Map([...(await findIdentities(tx, companyId, ids))].map(([id, { phone }]) => [id, phone])),
  };

  async function carry(companyId: number, limit: number): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const events = await takeEvents(tx, companyId, limit);
      if (events.length === 0) return 0;
      const now = clock.now();
      await queueDeliveries(tx, companyId, events.filter(isUntold), now);
      const refused = await tellMarketing(tx, companyId, events, now);
      if (refused.length > 0) await refuse(tx, companyId, refused, now);
      return events.length;
    });
  }

  /** Brings the contacts of the customers up to date and stores the events with them; gives what was refused. */
  async function tellMarketing(tx: Tx, companyId: number, events: TakenEvent[], now: Date): Promise<RefusedEvent[]> {
    const [customers, points] = await Promise.all([
      findIdentities(tx, companyId, idsOf(events)),
      pointsOf(tx, companyId, idsOf(events.filter(bringsPoints))),
    ]);
    const news = newsOf(events, customers, points);
    const synced = news.length === 0 ? [] : await syncCustomers(tx, companyId, news, now, syncDeps);
    const contactOf = new Map(news.map(({ customerId }, i) => [customerId, synced[i]!]));
    const refused: RefusedEvent[] = [];
    const open: TakenEvent[] = [];
    const inputs: EventInput[] = [];
    for (const event of events) {
      const customerId = customerIdOf(event);
      const contact = customerId === null ? undefined : contactOf.get(customerId);
      // An erased customer is nobody for marketing, and must not become a contact again.
      if (contact === undefined && (customerId !== null || typeof event.payload.email !== 'string')) continue;
      if (contact !== undefined && !contact.ok) refused.push(refusalOf(event, contact.error));
      else if (event.topic !== CUSTOMER_UPDATED) {
        open.push(event);
        inputs.push(eventOf(companyId, event, contact?.value.contactId));
      }
    }
    const outcomes = inputs.length === 0 ? [] : await store.storeEvents(tx, companyId, inputs, now);
    outcomes.forEach((outcome, i) => {
      if (!outcome.ok) refused.push(refusalOf(open[i]!, outcome.error));
    });
    return refused;
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
      const [event] = await takeEvents(tx, companyId, 1);
      if (event === undefined) return 0;
      const deliveries_queued = event.deliveries_queued || (await tellEndpoints(tx, companyId, event));
      await refuse(tx, companyId, [{ ...event, deliveries_queued, reason: 'an internal error' }], clock.now());
      return 1;
    });
  }

  /** Whatever is at fault with the event for marketing, endpoints hear of it, unless that is what fails. */
  async function tellEndpoints(tx: Tx, companyId: number, event: TakenEvent): Promise<boolean> {
    try {
      await tx.savepoint(() => queueDeliveries(tx, companyId, [event], clock.now()));
      return true;
    } catch (error) {
      if (!isDataFault(error)) throw error;
      log.error({ err: error, company_id: companyId, event_id: event.id }, 'an event of the shop reached no endpoint');
      return false;
    }
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
 * Whether the contact is to be told of its loyalty points. Each movement has an event behind it; those of an order wait for
 * its end, since a contact written for each order placed would more than double what carrying it costs (60 to 150 µs).
 */
function bringsPoints({ topic }: TakenEvent): boolean {
  return topic !== 'order_placed' && topic !== CUSTOMER_UPDATED;
}

function idsOf(events: TakenEvent[]): number[] {
  return [...new Set(events.map(customerIdOf).filter((id) => id !== null))];
}

function isUntold(event: TakenEvent): boolean {
  return !event.deliveries_queued;
}

function refusalOf(event: TakenEvent, error: unknown): RefusedEvent {
  return { ...event, deliveries_queued: true, reason: String((error as Error).message) };
}

/** The oldest events; those of customers who were erased while something was written of them say nothing of who it was. */
async function takeEvents(tx: Tx, companyId: number, limit: number): Promise<TakenEvent[]> {
  const events = await takeOutbox(tx, companyId, limit);
  const customerIds = idsOf(events);
  const erased = new Set(customerIds.length === 0 ? [] : await findErased(tx, companyId, customerIds));
  return erased.size === 0
    ? events
    : events.map((event) => (erased.has(customerIdOf(event)!) ? withoutPerson(event) : event));
}

function withoutPerson(event: TakenEvent): TakenEvent {
  const kept = IMPERSONAL_FIELDS.filter((field) => field in event.payload);
  return { ...event, payload: Object.fromEntries(kept.map((field) => [field, event.payload[field]])) };
}

/** Under an id of its own: a second deed on the same thing (a customer made again) is no repetition of the first. */
function eventOf(companyId: number, event: TakenEvent, contactId: number | undefined): EventInput {
  const { id, topic, payload, occurred_at } = event;
  return {
    eventType: topic,
    data: payload,
    occurredAt: occurred_at,
    source: 'shop',
    eventId: messageIdOf(companyId, id),
    ...(contactId === undefined ? {} : { contactId }),
  };
}
