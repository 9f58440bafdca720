import { extname } from 'node:path';
import { createWorkerPool, type JobOutcome } from '../../../lib/threads/pool.ts';
import type { NewLink } from '../content/content-queries.ts';
import type { SingleJob, SingleResult } from '../single-messages.ts';
import type { BulkJob, BulkJobResult, BulkRecipient } from './bulk-render-thread.ts';

/** `aside`: cannot be made from a form. */
export type BulkMail = { raw: Buffer } | { failed: string; line: number | null } | 'aside';

/** A job for several recipients that share one template. */
export type BulkOrder = Omit<BulkJob, 'recipients' | 'kind' | 'links'> & { recipients: readonly BulkRecipient[] };
export type SingleOrder = Omit<SingleJob, 'messages' | 'kind' | 'links' | 'lastCall'> & {
  /** A SingleMessage each, as JSON. */
  messages: readonly string[];
};

/** Returns the names that replace the target URLs of tracked links. */
export type NamesOf = (urls: string[]) => Promise<[url: string, name: string][]>;
/** Like NamesOf, keyed by the hashes of links. */
export type NamesBehind = (links: NewLink[]) => Promise<[hash: string, name: string][]>;

/**
 * Renders, tracks, encodes and signs messages in its own threads. Companies take turns, job by job. A job returns results for as many of
 * its first messages as its time allowed, but for at least one.
 */
export interface BulkRenderer {
  /** Renders campaign e-mails from a form. Returns `aside` for those that have to be composed individually. */
  renderBulk(order: BulkOrder, namesOf: NamesOf): Promise<JobOutcome<BulkMail[]>>;
  /** Renders messages one by one, whatever their templates contain. */
  renderSingle(order: SingleOrder, namesBehind: NamesBehind): Promise<JobOutcome<SingleResult[]>>;
  close(): Promise<void>;
}

/** A job stops itself after 0.3 s, once its current message is done; what cannot be interrupted (HTML to text) is killed here. */
const TIME_LIMIT_MS = 3_000;
/** A job returns early to request link names whenever a mail has addresses that the previous ones did not have. */
const MAX_ROUND_TRIPS = 5;

export function createBulkRenderer({ threads }: { threads: number }): BulkRenderer {
  const pool = createWorkerPool<BulkJob | SingleJob, BulkJobResult>({
    file: new URL(`./bulk-render-thread${extname(import.meta.url)}`, import.meta.url),
    size: threads,
    timeLimitMs: TIME_LIMIT_MS,
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });

  return {
    async renderBulk(order, namesOf) {
      const recipients = JSON.stringify(order.recipients);
      const links: [string, string][] = [];
      const { companyId } = order;
      for (let asked = 0; asked < MAX_ROUND_TRIPS; asked += 1) {
        const outcome = await pool.run({ ...order, kind: 'form', links, recipients }, { companyId, priority: 'bulk' });
        if (outcome.ended !== 'done') return outcome;
        if ('mails' in outcome.value) return { ended: 'done', value: mailsOf(outcome.value) };
        if ('unknown' in outcome.value) links.push(...(await namesOf(outcome.value.unknown)));
      }
      return { ended: 'done', value: order.recipients.map(() => 'aside' as const) };
    },

    async renderSingle(order, namesBehind) {
      const messages = `[${order.messages.join(',')}]`;
      const links: [string, string][] = [];
      const { companyId } = order;
      for (let asked = 1; ; asked += 1) {
        const job: SingleJob = { ...order, kind: 'single', links, messages, lastCall: asked === MAX_ROUND_TRIPS };
        const outcome = await pool.run(job, { companyId, priority: 'bulk' });
        if (outcome.ended !== 'done') return outcome;
        if ('singles' in outcome.value) return { ended: 'done', value: singlesOf(outcome.value) };
        if (!('wanted' in outcome.value)) continue;
        // Threads return bytes as a Uint8Array.
        const wanted = outcome.value.wanted.map((link) => ({ ...link, hash: Buffer.from(link.hash) }));
        links.push(...(await namesBehind(wanted)));
      }
    },

    close: () => pool.close(),
  };
}

function mailsOf({ bytes, mails }: Extract<BulkJobResult, { mails: unknown }>): BulkMail[] {
  const all = Buffer.from(bytes.buffer);
  return mails.map((one) => (typeof one === 'object' && 'from' in one ? { raw: all.subarray(one.from, one.to) } : one));
}

function singlesOf({ bytes, singles }: Extract<BulkJobResult, { singles: unknown }>): SingleResult[] {
  const all = Buffer.from(bytes.buffer);
  return singles.map((one) =>
    'from' in one ? { kind: 'raw', raw: all.subarray(one.from, one.to), linked: one.linked } : one,
  );
}
