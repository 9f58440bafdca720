/** Where an event came from. */
export type EventSource = 'api' | 'webhook' | 'shop' | 'flow';

/** An event whose data has been checked (see normalise.ts), on its way into the store. */
export interface EventInput {
  eventType: string;
  data: Record<string, unknown>;
  /** The sender's own id, by which it is known again for 7 days; up to 255 characters. */
  eventId?: string;
  /** The moment of storing where absent. */
  occurredAt?: Date;
  source: EventSource;
  /** Where the contact is known already; else it is found by the data's email, customer_id and phone. */
  contactId?: number;
}

/** What became of an event. */
export interface EventOutcome {
  /** Of a duplicate: the first one's. */
  event_id: number;
  event_type: string;
  contact_id: number;
  duplicate: boolean;
  /** Ids of the flows that this event started. */
  flows_triggered: number[];
}

/** An event as flows and outgoing webhooks are told of it, in the transaction that stores it. */
export interface StoredEvent {
  event_id: number;
  event_type: string;
  contact_id: number;
  data: Record<string, unknown>;
  occurred_at: Date;
  source: EventSource;
  /** False for one that is more than a day old: it is kept, and starts nothing. */
  triggers: boolean;
}
