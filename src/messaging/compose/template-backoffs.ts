import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** So many failures in a row, and messages of the template are put off. */
const STRIKES = 3;
const BACKOFF_MS = 60_000;
/** From so many back-offs in a row on, messages of the template fail during a back-off, and each is longer. */
const PATIENCE = 3;
const LONG_BACKOFF_MS = 600_000;
const REMEMBERED = 5_000;

/** `givenUp`: it failed again after each of several back-offs. */
export interface Backoff {
  ms: number;
  givenUp: boolean;
}

/**
 * Templates that timed out or lost their thread repeatedly: one bad template must not hold the threads for a day, and one that
 * met an overloaded machine must not be lost for it.
 */
export interface TemplateBackoffs {
  /** null: it may be tried. */
  of(key: string): Backoff | null;
  note(key: string, passed: boolean): void;
}

/** Of a company's template; it does not affect another company's use of the same text. 0.3 ms for 500 KB. */
export function backoffKey(companyId: number, template: string): string {
  return `${companyId} ${createHash('sha256').update(template).digest('base64')}`;
}

interface State {
  strikes: number;
  backoffs: number;
  until: number;
}

/** `now`: milliseconds that only grow. */
export function createTemplateBackoffs(now: () => number): TemplateBackoffs {
  const states = new LRUCache<string, State>({ max: REMEMBERED });
  return {
    of(key) {
      const state = states.get(key);
      const ms = state === undefined ? 0 : state.until - now();
      return ms > 0 ? { ms, givenUp: state!.backoffs >= PATIENCE } : null;
    },
    note(key, passed) {
      const state = states.get(key);
      if (passed) {
        if (state !== undefined) states.set(key, { strikes: 0, backoffs: 0, until: 0 });
        return;
      }
      const { strikes, backoffs, until } = state ?? { strikes: 0, backoffs: 0, until: 0 };
      // What was under way when the backoff began does not begin another.
      if (until > now()) return;
      if (strikes + 1 < STRIKES) {
        states.set(key, { strikes: strikes + 1, backoffs, until });
        return;
      }
      const backoff = backoffs + 1 >= PATIENCE ? LONG_BACKOFF_MS : BACKOFF_MS;
      // The first failure after the backoff begins the next one.
      states.set(key, { strikes: STRIKES - 1, backoffs: backoffs + 1, until: now() + backoff });
    },
  };
}
