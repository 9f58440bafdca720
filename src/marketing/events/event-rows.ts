import type { Settled } from '../../db/batching/batcher.ts';
import type { Correlation } from '../../lib/tracing/correlation.ts';
import type { EventInput, EventOutcome, StoredEvent } from './event.ts';
import type * as keyQueries from './key-queries.ts';
import type { EventKey } from './keys.ts';
import type * as queries from './queries.ts';

/** An event of a set while it is being stored; `outcome` is undefined until it is settled. */
export interface Entry {
  event: EventInput;
  key: EventKey;
  outcome: Settled<EventOutcome> | undefined;
}

/** An event older than this is stored, and starts nothing. */
const TRIGGERS_FOR_MS = 24 * 3_600_000;

/** A new event with its id. */
export interface Fresh {
  entry: Entry;
  eventId: number;
  /** Null if the contact must be created or updated. */
  contactId: number | null;
}

export function keyOf({ entry: { key }, eventId }: Fresh): keyQueries.KeyRow {
  return { ...key, event_id: eventId };
}

export function rowOf(event: EventInput, eventId: number, contactId: number): queries.EventRow {
  return {
    event_id: eventId,
    event_type: event.eventType,
    contact_id: contactId,
    occurred_at: event.occurredAt ?? null,
    source: event.source,
    external_id: event.eventId ?? null,
    data: event.data,
  };
}

export function storedEvent(row: queries.EventRow, now: Date, correlation: Correlation | null): StoredEvent {
  const { event_id, event_type, contact_id, data, source } = row;
  const occurred_at = row.occurred_at ?? now;
  const triggers = now.getTime() - occurred_at.getTime() <= TRIGGERS_FOR_MS;
  return { event_id, event_type, contact_id, data, occurred_at, source, triggers, correlation };
}

export function duplicateOf(
  first: Pick<EventOutcome, 'event_id' | 'event_type' | 'contact_id'>,
): Settled<EventOutcome> {
  const { event_id, event_type, contact_id } = first;
  return { ok: true, value: { event_id, event_type, contact_id, duplicate: true, flows_triggered: [] } };
}
