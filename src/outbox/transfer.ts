import { findGone, findIdentities } from '../commerce/customers/service.ts';
import { pointsOf } from '../commerce/loyalty/service.ts';
import type { Tx } from '../db/pool.ts';
import { IMPERSONAL_FIELDS } from '../erasure/impersonal.ts';
import { lockPresent, syncCustomers } from '../marketing/contacts/service.ts';
import type { EventInput, EventsService } from '../marketing/events/service.ts';
import { askForConsent } from '../messaging/consent/service.ts';
import type { Messaging } from '../messaging/service.ts';
import { contactChanges, customerIdOf } from './customers/contact-changes.ts';
import { messageIdOf } from './endpoints/queue-deliveries.ts';
import { type RefusedEvent, type TakenEvent, takeOutbox } from './queries.ts';
import { ABOUT_CONTACTS, CUSTOMER_MERGED, CUSTOMER_UPDATED } from './service.ts';

/** They change the contact but are not stored as its events. */
const ABOUT_CUSTOMERS_ALONE: ReadonlySet<string> = new Set([CUSTOMER_UPDATED, CUSTOMER_MERGED]);

export interface TransferDeps {
  events: Pick<EventsService, 'storeEvents'>;
  messaging: Pick<Messaging, 'suppressions'>;
}

/**
 * Takes the oldest events out of the outbox. Events of customers who were merged since then refer to the customer they were merged into;
 * events of customers erased since then lose their personal data.
 */
export async function takeEvents(tx: Tx, companyId: number, limit: number): Promise<TakenEvent[]> {
  const events = await takeOutbox(tx, companyId, limit);
  const customerIds = idsOf(events);
  const gone = customerIds.length === 0 ? new Map() : await findGone(tx, companyId, customerIds);
  return gone.size === 0 ? events : events.map((event) => asOfNow(event, gone.get(customerIdOf(event)!)));
}

/** `into`: the customer merged into, null for an erased customer, undefined for one who still exists. */
function asOfNow(event: TakenEvent, into: number | null | undefined): TakenEvent {
  if (into === undefined) return event;
  if (into === null) return withoutPerson(event);
  return { ...event, payload: { ...event.payload, customer_id: String(into) } };
}

function withoutPerson(event: TakenEvent): TakenEvent {
  const kept = IMPERSONAL_FIELDS.filter((field) => field in event.payload);
  return { ...event, payload: Object.fromEntries(kept.map((field) => [field, event.payload[field]])) };
}

/** Updates the contacts of the customers and stores the events with them. Returns the events that were refused. */
export async function transferToMarketing(
  { events: store, messaging: { suppressions } }: TransferDeps,
  tx: Tx,
  companyId: number,
  events: TakenEvent[],
  now: Date,
): Promise<RefusedEvent[]> {
  const [customers, points, present] = await Promise.all([
    findIdentities(tx, companyId, idsOf(events)),
    pointsOf(tx, companyId, idsOf(events.filter(updatesPoints))),
    lockPresent(
      tx,
      companyId,
      events.map(contactIdOf).filter((id) => id !== null),
    ),
  ]);
  const changes = contactChanges(events, customers, points);
  const synced =
    changes.length === 0 ? [] : await syncCustomers(tx, companyId, changes, now, { suppressions, findPhones });
  const contactOf = new Map(changes.map(({ customerId }, i) => [customerId, synced[i]!]));
  const asked = events.filter(asksForConsent).flatMap((event) => {
    const contact = contactOf.get(customerIdOf(event)!);
    return contact?.ok === true ? [contact.value.contactId] : [];
  });
  if (asked.length > 0) await askForConsent(tx, companyId, [...new Set(asked)], now);
  const refused: RefusedEvent[] = [];
  const open: TakenEvent[] = [];
  const inputs: EventInput[] = [];
  for (const event of events) {
    const customerId = customerIdOf(event);
    const contact = customerId === null ? undefined : contactOf.get(customerId);
    const ownId = contactIdOf(event);
    if (ownId !== null) {
      // A deleted contact has no events.
      if (!present.has(ownId)) continue;
      open.push(event);
      inputs.push(eventOf(companyId, event, ownId));
      continue;
    }
    // An erased customer must not become a contact again.
    if (contact === undefined && (customerId !== null || typeof event.payload.email !== 'string')) continue;
    if (contact !== undefined && !contact.ok) refused.push(refusalOf(event, contact.error));
    else if (!ABOUT_CUSTOMERS_ALONE.has(event.topic)) {
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

async function findPhones(tx: Tx, companyId: number, ids: number[]): Promise<Map<number, string | null>> {
  const customers = await findIdentities(tx, companyId, ids);
  return new Map([...customers].map(([id, { phone }]) => [id, phone]));
}

/** The id of the contact that an event of the marketing side is about, or null. */
function contactIdOf({ topic, payload }: TakenEvent): number | null {
  return (ABOUT_CONTACTS as readonly string[]).includes(topic) ? Number(payload.contact_id) : null;
}

/** Whether a guest has agreed to marketing. Anybody can type an address, so its owner must confirm. */
function asksForConsent({ topic, payload }: TakenEvent): boolean {
  return topic === 'order_placed' && payload.guest === true && payload.accepts_marketing === true;
}

/**
 * Whether the event updates the contact's loyalty points. Every ledger entry has an event; those of an order wait for its
 * completion, and views change none, because a contact write for each of these would more than double the cost of its transfer (60 to 150 µs).
 */
function updatesPoints({ topic }: TakenEvent): boolean {
  return topic !== 'order_placed' && topic !== 'product_viewed' && topic !== CUSTOMER_UPDATED;
}

function idsOf(events: TakenEvent[]): number[] {
  return [...new Set(events.map(customerIdOf).filter((id) => id !== null))];
}

function refusalOf(event: TakenEvent, error: unknown): RefusedEvent {
  return { ...event, deliveries_queued: true, reason: String((error as Error).message) };
}

/** The event id is that of the outbox row, so that two events about one entity are never taken for duplicates. */
function eventOf(companyId: number, event: TakenEvent, contactId: number | undefined): EventInput {
  const { id, topic, payload, occurred_at, correlation } = event;
  return {
    eventType: topic,
    data: payload,
    occurredAt: occurred_at,
    source: 'shop',
    correlation,
    eventId: messageIdOf(companyId, id),
    ...(contactId === undefined ? {} : { contactId }),
  };
}
