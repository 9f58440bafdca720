import { monotonicMs } from '../../clock.ts';
import { CompanyLines } from '../../db/lanes/company-lines.ts';
import { Overloaded } from '../../errors.ts';
import { WaitEstimate } from '../../lib/wait-estimate.ts';

/** Smaller bodies are parsed in less than a millisecond. */
const LARGE_BYTES = 65_536;
/** Total of all bodies processed at once; a company may use half of it: as much as the longest body. */
const MAX_BYTES = 2 * 2 ** 20;
/** A body that would wait longer is refused. */
const MAX_WAIT_MS = 2_000;
/** After a body's turn, the event loop is left to others for this many times as long as the turn kept it busy … */
const REST_TIMES = 5;
/** … but no longer than this, … */
const MAX_REST_MS = 200;
/** … and only if others have sent a request within this time. */
const OTHERS_MS = 1_000;

export function isLarge(bytes: number): boolean {
  return bytes >= LARGE_BYTES;
}

interface Waiting {
  companyId: number;
  bytes: number;
  since: number;
  start(): void;
  refuse(error: Error): void;
}

/**
 * Large bodies take turns, company by company, before they are parsed: a mebibyte keeps the event loop busy for about 10 ms while it is
 * parsed, and as long again on its way to the database. If those of twenty requests were processed at once, everyone else would wait for
 * all of them; and if one started as soon as another ended, every step of everyone's requests would wait for one.
 */
export class LargeBodies {
  private used = 0;
  private readonly usedBy = new Map<number, number>();
  private readonly queue = new CompanyLines<Waiting>();
  /** Number of bodies in transit, by company. */
  private readonly arriving = new Map<number, number>();
  private readonly estimate = new WaitEstimate();
  private readonly max: number;
  private restUntil = 0;
  private restTimer: NodeJS.Timeout | undefined;
  /** The last request, and the last one of another company. */
  private last = { companyId: 0, at: Number.NEGATIVE_INFINITY };
  private before = this.last;

  constructor(max = MAX_BYTES) {
    this.max = max;
  }

  /** Records that the company sent a request, whatever its size. */
  note(companyId: number): void {
    if (companyId !== this.last.companyId) this.before = this.last;
    this.last = { companyId, at: monotonicMs() };
  }

  private othersThan(companyId: number, now: number): boolean {
    const other = this.last.companyId === companyId ? this.before : this.last;
    return now - other.at < OTHERS_MS;
  }

  /**
   * Announces a body in transit. Returns a function to call (once or more) when it has arrived or never will; null for a small body. Throws
   * Overloaded if it would wait too long behind those of its company: then it need not be read.
   */
  announce(companyId: number, bytes: number): (() => void) | null {
    if (!isLarge(bytes)) return null;
    const ahead = this.queue.sizeOf(companyId) + (this.arriving.get(companyId) ?? 0);
    const wait = this.estimate.waitOf(companyId, ahead, monotonicMs());
    if (wait > MAX_WAIT_MS) throw new Overloaded(wait);
    addTo(this.arriving, companyId, 1);
    let came = false;
    return () => {
      if (!came) addTo(this.arriving, companyId, -1);
      came = true;
    };
  }

  /**
   * Waits for the body's turn. Returns a function that ends it and may be called more than once; null for a small body, which needs no
   * turn. Throws Overloaded.
   */
  take(companyId: number, bytes: number): Promise<() => void> | null {
    if (!isLarge(bytes)) return null;
    if (this.restUntil <= monotonicMs() && this.queue.sizeOf(companyId) === 0 && this.fits(companyId, bytes))
      return Promise.resolve(this.begin(companyId, bytes));
    return this.wait(companyId, bytes);
  }

  private fits(companyId: number, bytes: number): boolean {
    const own = this.usedBy.get(companyId) ?? 0;
    // A body larger than a share is processed alone.
    return (own === 0 || own + bytes <= this.max / 2) && (this.used === 0 || this.used + bytes <= this.max);
  }

  private begin(companyId: number, bytes: number): () => void {
    this.add(companyId, bytes);
    const began = performance.eventLoopUtilization();
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.add(companyId, -bytes);
      const now = monotonicMs();
      if (this.othersThan(companyId, now)) {
        const { active } = performance.eventLoopUtilization(began);
        this.restUntil = Math.max(this.restUntil, now + Math.min(MAX_REST_MS, REST_TIMES * active));
      }
      if (this.queue.size > 0) this.startSoon();
    };
  }

  /** Starts the next body once the loop has been left to others for long enough; I/O that arrived meanwhile always goes first. */
  private startSoon(): void {
    const rest = this.restUntil - monotonicMs();
    if (rest <= 0) setImmediate(() => this.startWaiting());
    else this.restTimer ??= setTimeout(() => this.startWaiting(), rest);
  }

  private add(companyId: number, bytes: number): void {
    this.used += bytes;
    addTo(this.usedBy, companyId, bytes);
  }

  private wait(companyId: number, bytes: number): Promise<() => void> {
    const now = monotonicMs();
    const wait = this.estimate.waitOf(companyId, this.queue.sizeOf(companyId), now);
    if (wait > MAX_WAIT_MS) throw new Overloaded(wait);
    this.estimate.waits(companyId, now);
    // If no body is being processed, no end of a turn will start this one.
    this.startSoon();
    return new Promise((resolve, refuse) => {
      const late = setTimeout(() => this.refuseLate(), MAX_WAIT_MS + 1);
      const start = (): void => {
        clearTimeout(late);
        resolve(this.begin(companyId, bytes));
      };
      this.queue.push(companyId, { companyId, bytes, since: now, start, refuse });
    });
  }

  private startWaiting(): void {
    clearTimeout(this.restTimer);
    this.restTimer = undefined;
    if (this.restUntil > monotonicMs()) {
      this.startSoon();
      return;
    }
    const next = this.queue.take(({ companyId, bytes }) => this.fits(companyId, bytes));
    if (next === undefined) return;
    this.estimate.took(next.companyId, 1, this.queue.sizeOf(next.companyId), monotonicMs());
    next.start();
    if (this.queue.size > 0) this.startSoon();
  }

  private refuseLate(): void {
    const now = monotonicMs();
    for (const { companyId, refuse } of this.queue.dropLate(({ since }) => now - since >= MAX_WAIT_MS)) {
      refuse(new Overloaded(this.estimate.waitOf(companyId, 0, now)));
      this.estimate.took(companyId, 0, this.queue.sizeOf(companyId), now);
    }
  }
}

function addTo(counts: Map<number, number>, companyId: number, n: number): void {
  const sum = (counts.get(companyId) ?? 0) + n;
  if (sum === 0) counts.delete(companyId);
  else counts.set(companyId, sum);
}
