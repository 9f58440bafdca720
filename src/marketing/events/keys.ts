import { hash } from 'node:crypto';
import { normaliseEmail } from '../../messaging/addresses.ts';
import { type EventInput, isBuiltIn } from './types.ts';

/** By what an event is known again, and for how long from its storing. */
export interface EventKey {
  /** A UUID made of the first half of a SHA-256: long enough that no two keys of a company meet by chance. */
  key: string;
  windowSeconds: number;
}

const DAY = 24 * 3_600;

/** The built-in types that happen once for one thing, and the key that names the thing. */
const NATURAL_KEYS: Record<string, string> = {
  order_placed: 'order_id',
  order_completed: 'order_id',
  subscription_created: 'subscription_id',
  subscription_cancelled: 'subscription_id',
  customer_created: 'email',
};

/**
 * The sender's own id for 7 days; without one, the thing that the event is about for 24 hours; for events that may
 * rightly happen again, the whole event for 60 seconds.
 */
export function eventKey(event: EventInput): EventKey {
  if (event.eventId !== undefined) {
    // What the product makes itself must not meet an id that a sender chose.
    const space = event.source === 'api' || event.source === 'webhook' ? 'sender' : event.source;
    return { key: digest(['id', space, event.eventId]), windowSeconds: 7 * DAY };
  }
  const name = isBuiltIn(event.eventType) ? NATURAL_KEYS[event.eventType] : undefined;
  if (name !== undefined) {
    const value = String(event.data[name]);
    return {
      key: digest(['natural', event.eventType, name === 'email' ? (normaliseEmail(value) ?? value) : value]),
      windowSeconds: DAY,
    };
  }
  const whole = [event.eventType, event.contactId ?? null, event.occurredAt?.getTime() ?? null, event.data];
  return { key: digest(['equal', ...whole]), windowSeconds: 60 };
}

function digest(parts: unknown[]): string {
  const hex = hash('sha256', canonicalJson(parts), 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** JSON with the keys of every object in order: equal for values that differ only in the order of keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const record = value as Record<string, unknown>;
  const members = Object.keys(record)
    .sort()
    .filter((key) => record[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(record[key])}`);
  return `{${members.join(',')}}`;
}
