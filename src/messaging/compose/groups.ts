import type { FairQueue } from '../../lib/fair-queue.ts';
import type { EmailForm } from '../sending-accounts/accounts.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { Draft } from './drafts.ts';
import type { ComposedMessage } from './outcomes.ts';
import type { SliceBuffer } from './slice-buffer.ts';

/** Small enough that the first messages of a set are sent while the others are still being composed. */
const MESSAGES_PER_JOB = 50;
const JOB_CHARACTERS = 1024 * 1024;

/** Messages of one content. */
export interface Group {
  company: SendingCompany;
  drafts: Draft[];
  /** Campaign messages may be rendered in bulk. */
  campaign: boolean;
  backoffKey: string;
  now: Date;
  hand(slice: ComposedMessage[]): Promise<void>;
  buffer: SliceBuffer<ComposedMessage>;
  mayGoOn(): boolean;
  form: EmailForm;
  /** Bounds the bytes of composed messages. */
  memory: FairQueue;
  /** Base URL of links, without a trailing slash. */
  base: string;
}

/** Splits items into jobs of bounded size. */
export function chunksOf<Item>(items: Item[], charactersOf: (item: Item) => number): Item[][] {
  const chunks: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const characters = charactersOf(item);
    const last = chunks.at(-1);
    if (last !== undefined && last.length < MESSAGES_PER_JOB && characters <= room) {
      last.push(item);
      room -= characters;
    } else {
      chunks.push([item]);
      room = JOB_CHARACTERS - characters;
    }
  }
  return chunks;
}

/** Waits for all, then rejects with the first failure, so that none is an unhandled rejection. */
export async function settleAll(work: Promise<void>[]): Promise<void> {
  await Promise.allSettled(work);
  await Promise.all(work);
}
