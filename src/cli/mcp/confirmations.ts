import { createHash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';

const VALID_MS = 10 * 60_000;
const MAX_PENDING = 1_000;

/** Writes that have been described and wait for the second call. */
export interface Confirmations {
  /** A token for exactly this call of this key. */
  ask(call: PendingCall): string;
  /** Whether the token belongs to this call; it is valid once. */
  take(token: string, call: PendingCall): boolean;
}

export interface PendingCall {
  apiKey: string;
  tool: string;
  args: Record<string, unknown>;
}

export function createConfirmations(clock: Clock): Confirmations {
  const pending = new LRUCache<string, { call: string; until: number }>({ max: MAX_PENDING });
  return {
    ask(call) {
      const token = randomBytes(9).toString('base64url');
      pending.set(token, { call: digestOf(call), until: clock.now().getTime() + VALID_MS });
      return token;
    },
    take(token, call) {
      const found = pending.get(token);
      if (found === undefined || found.call !== digestOf(call) || clock.now().getTime() > found.until) return false;
      pending.delete(token);
      return true;
    },
  };
}

function digestOf({ apiKey, tool, args }: PendingCall): string {
  return createHash('sha256')
    .update(JSON.stringify([apiKey, tool, sorted(args)]))
    .digest('base64');
}

/** The same value with the fields of its objects in a fixed order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}
