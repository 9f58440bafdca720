import { type ChildProcess, spawn } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, invalidField } from '../../../errors.ts';
import { FairQueue } from '../../../lib/fair-queue.ts';
import type { Variant } from '../address.ts';
import { unpacked } from './protocol.ts';

const FILE = fileURLToPath(new URL(`./process${extname(import.meta.url)}`, import.meta.url));
/** Each takes a processor, and up to 400 MB. */
const PROCESSES = 2;
/** Pictures of one company that may wait, each with its bytes in memory. */
const MAX_WAITING = 10;
const MAX_WAIT_MS = 20_000;
/** A photo of 12 megapixels takes 0.5 s, one of 50 up to 3 s. */
const TIME_LIMIT_MS = 20_000;
/** Size of the three variants together; a picture of noise takes 4 MB. */
const MAX_OUTPUT_BYTES = 24 * 2 ** 20;
const RETRY_AFTER_SECONDS = 5;

export interface ResizedPicture {
  width: number;
  height: number;
  variants: { variant: Variant; content: Buffer }[];
}

export interface Resizer {
  /** Throws validation_failed if it is no picture or too large, rate_limited if it would wait too long for others. */
  resize(bytes: Buffer, companyId: number): Promise<ResizedPicture>;
  /** Ends running processes. */
  close(): void;
}

/**
 * Resizes pictures in two separate processes. Each company uses one at a time, so that the other one serves the others.
 * See docs/design/pictures.md.
 */
export function createResizer({ timeLimitMs = TIME_LIMIT_MS, maxWaitMs = MAX_WAIT_MS } = {}): Resizer {
  const queue = new FairQueue({ capacity: PROCESSES, maxWaiting: MAX_WAITING, maxWaitMs, refusal: busy });
  const processes = new Set<ChildProcess>();
  let closed = false;

  /** Returns what the process wrote for the picture; incomplete if the process was killed. */
  function runProcess(bytes: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [FILE], { env: {}, stdio: ['pipe', 'pipe', 'ignore'] });
      processes.add(child);
      const limit = setTimeout(() => child.kill('SIGKILL'), timeLimitMs);
      const chunks: Buffer[] = [];
      let length = 0;
      child.stdout.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > MAX_OUTPUT_BYTES) child.kill('SIGKILL');
        else chunks.push(chunk);
      });
      // If it ends before it has read everything, its output says why.
      child.stdin.on('error', () => {});
      child.stdin.end(bytes);
      child.once('error', reject);
      child.once('close', () => {
        clearTimeout(limit);
        processes.delete(child);
        resolve(Buffer.concat(chunks));
      });
    });
  }

  async function resized(bytes: Buffer): Promise<ResizedPicture> {
    const written = unpacked(await runProcess(bytes));
    if (closed) throw busy();
    if (written === null || (!written.head.ok && written.head.because === 'unreadable')) {
      throw invalidField('picture', 'The picture cannot be read: it is damaged, or too complex', 'unreadable');
    }
    const { head, contents } = written;
    if (!head.ok) throw invalidField('picture', 'The picture has more than 50 megapixels', 'too_many_pixels');
    const { width, height } = head;
    return { width, height, variants: head.variants.map(({ variant }, i) => ({ variant, content: contents[i]! })) };
  }

  return {
    resize: (bytes, companyId) => queue.run(companyId, () => resized(bytes)),
    close() {
      closed = true;
      queue.close(busy());
      for (const child of processes) child.kill('SIGKILL');
    },
  };
}

function busy(): AppError {
  const message = 'Too many pictures are being uploaded at once: try again in a moment';
  return new AppError('rate_limited', message, { retry_after: RETRY_AFTER_SECONDS });
}
