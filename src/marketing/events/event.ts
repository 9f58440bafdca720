import type { Correlation } from '../../lib/tracing/correlation.ts';

/** The origin of an event. */
export type EventSource = 'api' | 'webhook' | 'shop' | 'flow';

/** A validated event (see normalise.ts) that is to be stored. */
export interface EventInput {
  eventType: string;
  data: Record<string, unknown>;
  /** The sender's own id, which identifies duplicates for 7 days; up to 255 characters. */
  eventId?: string;
  /** Absent: the moment of storing. */
  occurredAt?: Date;
  source: EventSource;
  /** The contact, if known; otherwise it is found by the email, customer_id and phone in the data. */
  contactId?: number;
  /** Passed to the flows that the event starts; not stored. Null if no request caused the event. */
  correlation?: Correlation | null;
}

/** The outcome of an accepted event. */
export interface EventOutcome {
  /** For a duplicate, the id of the first event. */
  event_id: number;
  event_type: string;
  contact_id: number;
  duplicate: boolean;
  /** Ids of the flows that this event started. */
  flows_triggered: number[];
}

/** A stored event as flows receive it, in the transaction that stores it. */
export interface StoredEvent {
  event_id: number;
  event_type: string;
  contact_id: number;
  data: Record<string, unknown>;
  occurred_at: Date;
  source: EventSource;
  /** False for an event more than a day old: it is stored, and starts nothing. */
  triggers: boolean;
  correlation: Correlation | null;
}

/** The fields by which the contact of an event is found or created. */
export interface EventContact {
  email?: string | null;
  externalId?: string | null;
  phone?: string | null;
  firstName?: string;
  lastName?: string;
  source?: string;
}

/** The names that a guest of the shop typed are not their contact's: anybody can type an address. */
export function contactOf({ data, source }: EventInput): EventContact {
  const text = (name: string): string | undefined => {
    const value = data[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  if (source === 'shop') return { email: text('email'), source };
  return {
    email: text('email'),
    externalId: text('customer_id'),
    phone: text('phone'),
    firstName: text('first_name'),
    lastName: text('last_name'),
    source,
  };
}
