import type { FairQueue, Hold } from '../../lib/fair-queue.ts';
import type { ComposedMessage } from './outcomes.ts';
import { MOST_BYTES } from './thread/jobs.ts';

/** Messages of a batch, which threads compose together, and the characters of their values. */
const BATCH_MESSAGES = 50;
const BATCH_CHARACTERS = 1024 * 1024;

/** Splits messages of one template into batches; `json` is what a thread gets of a message. */
export function batchesOf<Item extends { json: string }>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const last = batches.at(-1);
    if (last !== undefined && last.length < BATCH_MESSAGES && item.json.length <= room) {
      last.push(item);
      room -= item.json.length;
    } else {
      batches.push([item]);
      room = BATCH_CHARACTERS - item.json.length;
    }
  }
  return batches;
}

export interface HandOnOptions {
  /** Bytes of composed messages that have not been handed on. */
  memory: FairQueue;
  companyId: number;
  hand: (composed: ComposedMessage[]) => Promise<void>;
}

/**
 * Hands the composed messages of one call on together, so that they share transactions with those before them. While a batch waits for
 * memory, every result is handed on at once: it may be what the batch waits for.
 */
export class HandOn {
  private readonly options: HandOnOptions;
  private composing = 0;
  private waiting = 0;
  private gathered: ComposedMessage[] = [];
  private holds: Hold[] = [];
  private readonly handing: Promise<void>[] = [];

  constructor(options: HandOnOptions) {
    this.options = options;
  }

  /** Registers a batch that is being composed; call the returned function when it is done. */
  begin(): () => void {
    this.composing += 1;
    return () => {
      this.composing -= 1;
      if (this.composing === 0) this.flush();
    };
  }

  /** Waits for the memory of a job's results. */
  async room(): Promise<Hold> {
    const { memory, companyId } = this.options;
    const free = memory.tryTake(companyId, MOST_BYTES);
    if (free !== null) return free;
    this.waiting += 1;
    this.flush();
    try {
      return await memory.take(companyId, { cost: MOST_BYTES, priority: 'bulk' });
    } finally {
      this.waiting -= 1;
    }
  }

  /** `hold`: their memory, which is released when they have been handed on. */
  add(composed: ComposedMessage[], hold?: Hold): void {
    this.gathered.push(...composed);
    if (hold !== undefined) this.holds.push(hold);
    if (this.composing === 0 || this.waiting > 0) this.flush();
  }

  /** Resolves when everything has been handed on; rejects with the first failure. */
  async done(): Promise<void> {
    await Promise.allSettled(this.handing);
    await Promise.all(this.handing);
  }

  private flush(): void {
    const { gathered, holds } = this;
    this.gathered = [];
    this.holds = [];
    const release = (): void => {
      for (const hold of holds) hold.release();
    };
    if (gathered.length === 0) {
      release();
      return;
    }
    const handed = this.options.hand(gathered).finally(release);
    // Its rejection is reported by `done`.
    handed.catch(() => {});
    this.handing.push(handed);
  }
}

/** Waits for all, then rejects with the first failure, so that none is an unhandled rejection. */
export async function settleAll(work: Promise<void>[]): Promise<void> {
  await Promise.allSettled(work);
  await Promise.all(work);
}
