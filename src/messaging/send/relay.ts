import { retry } from '../../lib/retry.ts';
import type { Delivered } from '../ledger/deliveries.ts';
import type { ReadyMessage } from '../ledger/hand-over.ts';
import type { SettleAndHandOver } from '../ledger/settle-and-hand-over.ts';

export interface RelayOptions {
  /** Maximum number of bundles handed over and not yet recorded. */
  places: number;
  /** Records and hands over in one transaction. Returns the ready messages to deliver. */
  settleAndHandOver(request: SettleAndHandOver): Promise<ReadyMessage[]>;
  deliver(going: ReadyMessage[]): Promise<Delivered[]>;
  /** Resolves when so many messages may be sent; null without a rate limit. */
  sendRate: ((messages: number) => Promise<void>) | null;
  /** Whether a bundle may be handed over now. */
  mayBegin(): boolean;
  /** Aborts retries of recording results. */
  giveUp: AbortSignal;
}

/** `refused`: it was not handed over. */
type RelayOutcome = 'settled' | 'refused';

interface Bundle {
  ready: ReadyMessage[];
  resolve(passed: RelayOutcome): void;
  reject(error: unknown): void;
}

export type Relay = (ready: ReadyMessage[]) => Promise<RelayOutcome>;

/** A delivered bundle whose results are not recorded yet. */
interface Unrecorded {
  bundle: Bundle;
  delivered: Delivered[];
}

/** Thrown if the bundle never reached a transport, whatever the ledger says. */
export class NotBegun extends Error {
  constructor(cause: unknown) {
    super('A bundle could not be handed over', { cause });
  }
}

/**
 * Delivers bundles (each of one company), at most `places` at once. The results of a bundle are recorded in the transaction
 * that hands over the next one, so that each bundle costs one transaction. Resolves when the results are recorded.
 */
export function createRelay(options: RelayOptions): Relay {
  const { places, settleAndHandOver, deliver, sendRate, mayBegin, giveUp } = options;
  const waiting: Bundle[] = [];
  let running = 0;

  async function record({ bundle, delivered }: Unrecorded): Promise<void> {
    try {
      await retry(() => settleAndHandOver({ delivered, ready: [] }), giveUp);
      bundle.resolve('settled');
    } catch (error) {
      bundle.reject(error);
    }
  }

  /** Hands over a bundle and records the previous one. Returns the bundle to record next. */
  async function pass(bundle: Bundle, before: Unrecorded | null): Promise<Unrecorded | null> {
    let going: ReadyMessage[];
    try {
      going = await settleAndHandOver({ delivered: before?.delivered ?? [], ready: bundle.ready });
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

  /** Delivers bundles in sequence until none waits and all are recorded. */
  async function occupy(first: Bundle): Promise<void> {
    let held: Unrecorded | null = null;
    for (let next: Bundle | undefined = first; next !== undefined || held !== null; next = waiting.shift()) {
      const follows = next !== undefined && sendRate === null && mayBegin();
      if (held !== null && !(follows && companyOf(held.bundle) === companyOf(next!))) {
        await record(held);
        held = null;
      }
      if (next !== undefined) held = await begin(next, held);
    }
    running -= 1;
  }

  async function begin(bundle: Bundle, before: Unrecorded | null): Promise<Unrecorded | null> {
    if (before === null && !mayBegin()) {
      bundle.resolve('refused');
      return null;
    }
    try {
      await sendRate?.(bundle.ready.length);
    } catch (error) {
      bundle.reject(new NotBegun(error));
      return null;
    }
    // The transport may have been given up while the bundle waited for its turn.
    if (sendRate !== null && !mayBegin()) {
      bundle.resolve('refused');
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
