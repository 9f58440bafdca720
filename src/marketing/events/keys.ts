import { hash } from 'node:crypto';
import { normaliseEmail } from '../../lib/addresses.ts';
import type { EventInput } from './event.ts';
import { isBuiltIn } from './event-types/built-in.ts';

/** By what an event is known again, and for how long from its storing. */
export interface EventKey {
  /** A UUID made of a SHA-256, 88 bits of it at least: no two keys of a company meet by chance. */
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
    return { key: keyOfId('id', space, event.eventId), windowSeconds: 7 * DAY };
  }
  const name = isBuiltIn(event.eventType) ? NATURAL_KEYS[event.eventType] : undefined;
  if (name !== undefined) {
    const value = String(event.data[name]);
    const key =
      name === 'email'
        ? asUuid(digest(['natural', event.eventType, normaliseEmail(value) ?? value]))
        : keyOfId('natural', event.eventType, value);
    return { key, windowSeconds: DAY };
  }
  const whole = [event.eventType, event.contactId ?? null, event.occurredAt?.getTime() ?? null, event.data];
  return { key: asUuid(digest(['equal', ...whole])), windowSeconds: 60 };
}

/**
 * Of an id that ends in a number the key does too, behind a hash of what stands before it: ids that count up ("till-3-1041",
 * "till-3-1042") lie side by side in the index, which takes half as much work then. Migration 0026 has the same form.
 */
function keyOfId(kind: string, space: string, id: string): string {
  const start = startOfNumber(id);
  if (start === id.length) return asUuid(digest([kind, space, id]));
  const number = Number(id.slice(start)).toString(16).padStart(10, '0');
  return asUuid(digestOfCounted(kind, space, id.slice(0, start)).slice(0, 22) + number);
}

/** Of 12 digits at most, which five bytes hold, and without leading zeros, so that no other id has the same two parts. */
const MAX_DIGITS = 12;

/** Where the number begins that the id ends in; its length where it ends in none. */
function startOfNumber(id: string): number {
  let start = id.length;
  for (let at = start - 1; at >= 0 && id.length - at <= MAX_DIGITS; at--) {
    const digit = id.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    if (digit > 0) start = at;
  }
  return start;
}

/** The last one is kept: ids that count up come together. */
let lastCounted = { kind: '', space: '', prefix: '', hash: '' };

function digestOfCounted(kind: string, space: string, prefix: string): string {
  const last = lastCounted;
  if (last.prefix === prefix && last.space === space && last.kind === kind) return last.hash;
  const hash = digest(['counted', kind, space, prefix]);
  lastCounted = { kind, space, prefix, hash };
  return hash;
}

function digest(parts: unknown[]): string {
  return hash('sha256', canonicalJson(parts), 'hex');
}

/** Of the first 32 digits. */
function asUuid(hex: string): string {
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
