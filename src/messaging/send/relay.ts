import { retry } from '../../lib/retry.ts';
import type { Delivered } from '../ledger/deliveries.ts';
import type { ReadyMessage } from '../ledger/hand-over.ts';
import type { Exchange } from '../ledger/settle-and-hand-over.ts';

export interface RelayOptions {
  /** Bundles that are handed over and not yet recorded, at most. */
  places: number;
  /** Records and hands over in one transaction; gives those of the ready ones that are to be delivered. */
  exchange(exchange: Exchange): Promise<ReadyMessage[]>;
  deliver(going: ReadyMessage[]): Promise<Delivered[]>;
  /** Resolves when so many messages may go; null where they may at once. */
  pace: ((messages: number) => Promise<void>) | null;
  /** Whether a bundle may begin now. */
  mayBegin(): boolean;
  /** What is known is not tried to be written any longer. */
  giveUp: AbortSignal;
}

/** `refused`: it did not begin. */
type Passed = 'settled' | 'refused';

interface Bundle {
  ready: ReadyMessage[];
  resolve(passed: Passed): void;
  reject(error: unknown): void;
}

/** A bundle that was delivered, and is to be recorded. */
interface Held {
  bundle: Bundle;
  delivered: Delivered[];
}

/** No transport has seen the bundle, whatever the ledger says. */
export class NotBegun extends Error {
  constructor(cause: unknown) {
    super('A bundle could not be handed over', { cause });
  }
}

/**
 * Takes bundles (each of one company) through the transport, at most so many at once. Whoever is done tells the ledger in the
 * transaction in which the next one begins, so that each bundle costs one. Resolves when it is recorded.
 */
export function createRelay(options: RelayOptions): (ready: ReadyMessage[]) => Promise<Passed> {
  const { places, exchange, deliver, pace, mayBegin, giveUp } = options;
  const waiting: Bundle[] = [];
  let running = 0;

  async function record({ bundle, delivered }: Held): Promise<void> {
    try {
      await retry(() => exchange({ delivered, ready: [] }), giveUp);
      bundle.resolve('settled');
    } catch (error) {
      bundle.reject(error);
    }
  }

  /** Begins a bundle and ends the one before; gives what is to be recorded next. */
  async function pass(bundle: Bundle, before: Held | null): Promise<Held | null> {
    let going: ReadyMessage[];
    try {
      going = await exchange({ delivered: before?.delivered ?? [], ready: bundle.ready });
    } catch (error) {
      bundle.reject(new NotBegun(error));
      if (before !== null) await record(before);
      return null;
    }
    before?.bundle.resolve('settled');
    if (going.length === 0) {
      bundle.resolve('settled');
      return null;
    }
    try {
      return { bundle, delivered: await deliver(going) };
    } catch (error) {
      bundle.reject(error);
      return null;
    }
  }

  /** Does one after the other until none waits and all is recorded. */
  async function occupy(first: Bundle): Promise<void> {
    let held: Held | null = null;
    for (let next: Bundle | undefined = first; next !== undefined || held !== null; next = waiting.shift()) {
      const follows = next !== undefined && pace === null && mayBegin();
      if (held !== null && !(follows && companyOf(held.bundle) === companyOf(next!))) {
        await record(held);
        held = null;
      }
      if (next !== undefined) held = await begin(next, held);
    }
    running -= 1;
  }

  async function begin(bundle: Bundle, before: Held | null): Promise<Held | null> {
    if (before === null && !mayBegin()) {
      bundle.resolve('refused');
      return null;
    }
    try {
      await pace?.(bundle.ready.length);
    } catch (error) {
      bundle.reject(new NotBegun(error));
      return null;
    }
    return pass(bundle, before);
  }

  return (ready) =>
    new Promise((resolve, reject) => {
      const bundle = { ready, resolve, reject };
      if (running >= places) {
        waiting.push(bundle);
        return;
      }
      running += 1;
      void occupy(bundle);
    });
}

function companyOf({ ready }: Bundle): number {
  return ready[0]!.message.companyId;
}
