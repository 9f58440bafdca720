import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** So many failures in a row, and a template rests. */
const STRIKES = 3;
const REST_MS = 60_000;
/** From so many rests in a row on, messages of the template fail while it rests, and it rests for longer. */
const PATIENCE = 3;
const LONG_REST_MS = 600_000;
const REMEMBERED = 5_000;

/** `givenUp`: it failed again after each of several rests. */
export interface Rest {
  ms: number;
  givenUp: boolean;
}

/**
 * Templates that timed out or lost their thread repeatedly: one bad template must not hold the threads for a day, and one that
 * met an overloaded machine must not be lost for it.
 */
export interface TemplateRests {
  /** null: it may be tried. */
  of(key: string): Rest | null;
  note(key: string, passed: boolean): void;
}

/** Of a company's template; it does not affect another company's use of the same text. 0.3 ms for 500 KB. */
export function restKey(companyId: number, template: string): string {
  return `${companyId} ${createHash('sha256').update(template).digest('base64')}`;
}

interface State {
  strikes: number;
  rests: number;
  until: number;
}

/** `now`: milliseconds that only grow. */
export function createTemplateRests(now: () => number): TemplateRests {
  const states = new LRUCache<string, State>({ max: REMEMBERED });
  return {
    of(key) {
      const state = states.get(key);
      const ms = state === undefined ? 0 : state.until - now();
      return ms > 0 ? { ms, givenUp: state!.rests >= PATIENCE } : null;
    },
    note(key, passed) {
      const state = states.get(key);
      if (passed) {
        if (state !== undefined) states.set(key, { strikes: 0, rests: 0, until: 0 });
        return;
      }
      const { strikes, rests, until } = state ?? { strikes: 0, rests: 0, until: 0 };
      // What was under way when the rest began does not begin another.
      if (until > now()) return;
      if (strikes + 1 < STRIKES) {
        states.set(key, { strikes: strikes + 1, rests, until });
        return;
      }
      const rest = rests + 1 >= PATIENCE ? LONG_REST_MS : REST_MS;
      // The first failure after the rest begins the next one.
      states.set(key, { strikes: STRIKES - 1, rests: rests + 1, until: now() + rest });
    },
  };
}
