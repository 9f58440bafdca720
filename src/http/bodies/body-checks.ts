import { extname } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { TSchema } from 'typebox';
import { createWorkerPool, type WorkerPool } from '../../lib/threads/pool.ts';
import type { BodyCheckJob, CheckedBody } from './body-check.ts';

/** After a useless large body, those of the company are checked in a thread for this long. */
const REMEMBERED_MS = 60_000;
const MAX_COMPANIES = 10_000;
/** A mebibyte takes up to 0.1 s. */
const TIME_LIMIT_MS = 2_000;
/** Other bodies of the company wait behind it. */
const MAX_WAIT_MS = 1_000;

/**
 * Checks large bodies in a thread before they are parsed on the event loop. Parsing a mebibyte of small values creates 10 MB of garbage,
 * whose collection pauses everyone for 8 to 15 ms. An accepted body must be parsed on the event loop anyway, because transferring its
 * values from a thread costs as much. So only companies whose large bodies were recently useless (refused, or full of unknown fields) have
 * theirs checked first.
 */
export class BodyChecks {
  private readonly pool: WorkerPool<BodyCheckJob, CheckedBody>;
  private readonly schemas = new WeakMap<TSchema, string>();
  private readonly suspects = new LRUCache<number, true>({ max: MAX_COMPANIES, ttl: REMEMBERED_MS });

  constructor(maxWaitMs = MAX_WAIT_MS) {
    this.pool = createWorkerPool({
      file: new URL(`./body-check-thread${extname(import.meta.url)}`, import.meta.url),
      size: 1,
      timeLimitMs: TIME_LIMIT_MS,
      maxWaitMs,
      resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 },
    });
  }

  /** Called when a large body of the company was parsed on the event loop and turned out useless. */
  suspect(companyId: number): void {
    this.suspects.set(companyId, true);
  }

  /**
   * Returns the result of a thread for a large body; null if none is needed, no thread is free in time or the check gave up: then the body
   * is parsed like any other.
   */
  async check(companyId: number, schema: TSchema, bytes: Uint8Array): Promise<CheckedBody | null> {
    if (!this.suspects.has(companyId)) return null;
    const outcome = await this.pool.run({ schema: this.textOf(schema), bytes }, { companyId, lane: 'interactive' });
    if (outcome.ended !== 'done') return null;
    const { refusal, rest } = outcome.value;
    if (refusal !== null || rest !== null) this.suspect(companyId);
    return outcome.value;
  }

  private textOf(schema: TSchema): string {
    let text = this.schemas.get(schema);
    if (text === undefined) {
      text = JSON.stringify(schema);
      this.schemas.set(schema, text);
    }
    return text;
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
