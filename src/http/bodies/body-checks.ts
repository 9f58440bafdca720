import { extname } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { TSchema } from 'typebox';
import { createWorkerPool, type WorkerPool } from '../../lib/threads/pool.ts';
import type { BodyCheckJob, CheckedBody } from './body-check.ts';

/** After a large body that was of no use, those of its company are looked at in a thread for so long. */
const REMEMBERED_MS = 60_000;
const MAX_COMPANIES = 10_000;
/** A mebibyte takes up to 0.1 s. */
const TIME_LIMIT_MS = 2_000;
/** Others of the company wait behind it. */
const MAX_WAIT_MS = 1_000;

/**
 * Looks at large bodies in a thread before they are parsed on the event loop. Parsing a mebibyte of small values makes 10 MB of
 * garbage of the kind that is collected in pauses of 8 to 15 ms for everybody. A body that is accepted must be parsed on the
 * event loop in any case, since handing its values over from a thread costs as much. So only companies whose large bodies were
 * of no use lately, that is refused or full of unknown fields, have theirs looked at first.
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

  /** A large body of the company was parsed on the event loop, and was of no use. */
  suspect(companyId: number): void {
    this.suspects.set(companyId, true);
  }

  /**
   * What a thread says of a large body; null where it need not be asked, has no time or gave up: then the body is read as any
   * other.
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
