import { hash } from 'node:crypto';
import { normaliseEmail } from '../../lib/addresses.ts';
import type { EventInput } from './event.ts';
import { isBuiltIn } from './event-types/built-in.ts';

/** The key that identifies duplicates of an event, and its lifetime from the moment of storing. */
export interface EventKey {
  /** A UUID with at least 88 bits of a SHA-256, so that accidental collisions are practically impossible. */
  key: string;
  windowSeconds: number;
}

const DAY = 24 * 3_600;

/** Built-in types that occur once per object, and the field that identifies the object. */
const NATURAL_KEYS: Record<string, string> = {
  order_placed: 'order_id',
  order_completed: 'order_id',
  subscription_created: 'subscription_id',
  subscription_cancelled: 'subscription_id',
  customer_created: 'email',
};

/**
 * Returns the key of the sender's own id, for 7 days. Without one, that of the object of the event, for 24 hours. For events that may
 * legitimately repeat, that of the whole event, for 60 seconds.
 */
export function eventKey(event: EventInput): EventKey {
  if (event.eventId !== undefined) {
    // Ids assigned by the product itself must not collide with ids of senders.
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
 * The key of an id. If the id ends in a number, so does the key, after a hash of the rest: consecutive ids ("till-3-1041",
 * "till-3-1042") are adjacent in the index, which halves its work.
 */
function keyOfId(kind: string, space: string, id: string): string {
  const start = startOfNumber(id);
  if (start === id.length) return asUuid(digest([kind, space, id]));
  const number = Number(id.slice(start)).toString(16).padStart(10, '0');
  return asUuid(digestOfCounted(kind, space, id.slice(0, start)).slice(0, 22) + number);
}

/** Maximum digits of the number, so that it fits into five bytes. It has no leading zeros, so that an id splits in only one way. */
const MAX_DIGITS = 12;

/** The start of the number at the end of the id; the length of the id if there is none. */
function startOfNumber(id: string): number {
  let start = id.length;
  for (let at = start - 1; at >= 0 && id.length - at <= MAX_DIGITS; at--) {
    const digit = id.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    if (digit > 0) start = at;
  }
  return start;
}

/** The last prefix is cached: consecutive ids arrive together. */
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

/** A UUID of the first 32 hex digits. */
function asUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** JSON with sorted keys: the same for values that differ only in the order of keys. */
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
