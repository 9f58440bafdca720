import type { Clock } from '../../../clock.ts';
import { random } from '../../../testing/random/seed.ts';

/**
 * What may go wrong with a call. `time_out_before`: the call is not processed, and no response is sent; `time_out_after`: it is processed
 * before that; `error_500`: it is not processed, and the 500 is remembered under its idempotency key; `conflict_409`, `rate_limit_429`: it is
 * not processed, and nothing is remembered; `cut_body`: it is processed, and the connection breaks within the response.
 */
export const CALL_FAULTS = [
  'time_out_before',
  'time_out_after',
  'error_500',
  'conflict_409',
  'rate_limit_429',
  'cut_body',
] as const;
export type CallFault = (typeof CALL_FAULTS)[number];

/**
 * What may go wrong with a webhook. `delayed`: it is sent on `release`; `duplicated`: it is sent twice; `lost`: it is never sent; `reordered`:
 * it is sent after the next one; `forged`: somebody else sends one too.
 */
export const WEBHOOK_FAULTS = ['delayed', 'duplicated', 'lost', 'reordered', 'forged'] as const;
export type WebhookFault = (typeof WEBHOOK_FAULTS)[number];

export type Fault = CallFault | WebhookFault;

export interface Faults {
  /** Causes the fault at the next `times` calls or webhooks, `after` some without, in the order in which faults were asked for. */
  failNext(fault: Fault, times?: number, after?: number): void;
  /** Returns the fault of a call that has arrived; null: none. */
  ofCall(): CallFault | null;
  /** Returns the fault of a webhook that is to be sent; null: none. */
  ofWebhook(): WebhookFault | null;
  /** Begins random faults, drawn from the seed alone; none that was asked for before happens any more. */
  begin(seed: number): void;
  /** Ends random faults, and those that were asked for and have not happened. */
  stop(): void;
  /** How often each fault happened. */
  readonly happened: Readonly<Record<Fault, number>>;
}

/** By chance, each fault happens with a probability of 0.02 unless `chances` has another. */
const CHANCE = 0.02;
const PRECISION = 1_000_000;

/** Without a seed, only faults that are asked for happen. The same seed and the same calls in the same order have the same faults. */
export function createFaults({
  seed = null,
  chances = {},
}: {
  seed?: number | null;
  chances?: Partial<Record<Fault, number>>;
} = {}): Faults {
  const happened = Object.fromEntries([...CALL_FAULTS, ...WEBHOOK_FAULTS].map((fault) => [fault, 0])) as Record<
    Fault,
    number
  >;
  let draws = seed === null ? null : drawsOf(seed);
  const asked: { calls: (CallFault | null)[]; webhooks: (WebhookFault | null)[] } = { calls: [], webhooks: [] };

  function next<T extends Fault>(
    names: readonly T[],
    queue: (T | null)[],
    draw: ((below: number) => number) | null,
  ): T | null {
    const fault = queue.shift() ?? (draw === null ? null : drawn(names, draw));
    if (fault !== null) happened[fault] += 1;
    return fault;
  }

  function drawn<T extends Fault>(names: readonly T[], draw: (below: number) => number): T | null {
    let left = draw(PRECISION) / PRECISION;
    for (const name of names) {
      left -= chances[name] ?? CHANCE;
      if (left < 0) return name;
    }
    return null;
  }

  return {
    failNext: (fault, times = 1, after = 0) => {
      const passing = Array.from({ length: after }, () => null);
      if (isOfCalls(fault)) asked.calls.push(...passing, ...Array.from({ length: times }, () => fault));
      else asked.webhooks.push(...passing, ...Array.from({ length: times }, () => fault));
    },
    ofCall: () => next(CALL_FAULTS, asked.calls, draws?.calls ?? null),
    ofWebhook: () => next(WEBHOOK_FAULTS, asked.webhooks, draws?.webhooks ?? null),
    begin: (seed) => {
      draws = drawsOf(seed);
      asked.calls.length = 0;
      asked.webhooks.length = 0;
    },
    stop: () => {
      draws = null;
      asked.calls.length = 0;
      asked.webhooks.length = 0;
    },
    happened,
  };
}

/** Calls and webhooks draw from generators of their own, so that how they interleave does not matter. */
function drawsOf(seed: number) {
  return { calls: random(1, seed), webhooks: random(2, seed) };
}

function isOfCalls(fault: Fault): fault is CallFault {
  return (CALL_FAULTS as readonly Fault[]).includes(fault);
}

/** `new`: process the call, then `remember` its response; `changed`: the key was used for a call with other parameters. */
export type Remembered<R> = { kind: 'new' } | { kind: 'replayed'; response: R } | { kind: 'changed' };

export interface IdempotencyTable<R> {
  /** Looks a key up. `call` says all about the call that must be the same: method, path and body. */
  look(key: string, call: string): Remembered<R>;
  remember(key: string, call: string, response: R): void;
}

/** The responses that a service remembers by idempotency key, for as long as `lifetimeMs` on the clock. */
export function createIdempotencyTable<R>(clock: Clock, lifetimeMs: number): IdempotencyTable<R> {
  const known = new Map<string, { call: string; response: R; until: number }>();
  return {
    look: (key, call) => {
      const entry = known.get(key);
      if (entry === undefined || entry.until <= clock.now().getTime()) return { kind: 'new' };
      return entry.call === call ? { kind: 'replayed', response: entry.response } : { kind: 'changed' };
    },
    remember: (key, call, response) => {
      known.set(key, { call, response, until: clock.now().getTime() + lifetimeMs });
    },
  };
}
