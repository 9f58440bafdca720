import { extname } from 'node:path';
import type { PressAnswer, PressJob, PressRecipient } from './press-worker.ts';
import { createWorkerPool } from './worker-pool.ts';

/** `aside`: not one of those that are made from a form. */
export type PressedMail = { raw: Buffer } | { failed: string; line: number | null } | 'aside';

/** Makes the e-mails of campaigns in threads of its own: rendered, tracked, encoded, signed. */
export interface Press {
  /**
   * One result for each recipient, in their order. `namesOf` gives what stands for the addresses that clicks lead to. What the
   * threads cannot make, for whatever reason, is set aside for the way of single messages.
   */
  press(job: PressOrder, namesOf: (urls: string[]) => Promise<[url: string, name: string][]>): Promise<PressedMail[]>;
  close(): Promise<void>;
}

/** So few that a thread is never busy with one job for long. */
const RECIPIENTS_PER_JOB = 50;
/** Far above what a job takes: every template in it is of bounded cost. */
const TIME_LIMIT_MS = 20_000;
/** A job comes back for more addresses when a recipient's mail has others than those before. */
const MOST_QUESTIONS = 5;

/** A job of any number of recipients. */
export type PressOrder = Omit<PressJob, 'recipients'> & { recipients: PressRecipient[] };

export function createPress({ threads }: { threads: number }): Press {
  const pool = createWorkerPool<PressJob, PressAnswer>({
    file: new URL(`./press-worker${extname(import.meta.url)}`, import.meta.url),
    size: threads,
    timeLimitMs: TIME_LIMIT_MS,
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });

  return {
    async press(job, namesOf) {
      const links = [...job.links];
      async function pressSome(some: PressRecipient[]): Promise<PressedMail[]> {
        const recipients = JSON.stringify(some);
        for (let asked = 0; asked < MOST_QUESTIONS; asked += 1) {
          const outcome = await pool.run({ ...job, links, recipients });
          if (outcome.ended === 'killed') break;
          if ('pressed' in outcome.value) return mailsOf(outcome.value);
          links.push(...(await namesOf(outcome.value.unknown)));
        }
        return some.map(() => 'aside' as const);
      }
      const chunks: PressRecipient[][] = [];
      for (let at = 0; at < job.recipients.length; at += RECIPIENTS_PER_JOB) {
        chunks.push(job.recipients.slice(at, at + RECIPIENTS_PER_JOB));
      }
      return (await Promise.all(chunks.map(pressSome))).flat();
    },
    close: () => pool.close(),
  };
}

function mailsOf({ bytes, pressed }: Extract<PressAnswer, { bytes: unknown }>): PressedMail[] {
  const all = Buffer.from(bytes.buffer);
  return pressed.map((one) =>
    typeof one === 'object' && 'from' in one ? { raw: all.subarray(one.from, one.to) } : one,
  );
}
