/** How far back it looks: a period of this length, and the one before, which counts the less the longer the present one has lasted. */
const HALF_MS = 1_000;
/** No estimate is made for an owner whose jobs have waited for less. */
const LEARNING_MS = 500;

interface Pace {
  /** When the first of the owner's jobs began to wait. */
  began: number;
  /** When the present period began. */
  since: number;
  /** Jobs taken in the period before this one, and in this one. */
  before: number;
  taken: number;
}

/**
 * Estimates how long an owner's next job would wait in a queue, from how many of its waiting jobs were taken recently.
 * It knows an owner only while jobs of it wait. Times are milliseconds of a monotonic clock.
 */
export class WaitEstimate {
  private readonly paces = new Map<number, Pace>();

  /** Milliseconds that a job behind `ahead` others of its owner would wait; 0 while there is no estimate. */
  waitOf(owner: number, ahead: number, now: number): number {
    const pace = this.paces.get(owner);
    if (pace === undefined || now - pace.began < LEARNING_MS) return 0;
    this.turn(pace, now);
    const ofThis = now - pace.since;
    const ofBefore = Math.min(HALF_MS - Math.min(ofThis, HALF_MS), pace.since - pace.began);
    const taken = pace.taken + (pace.before * ofBefore) / HALF_MS;
    // Counts one more as taken just now: if none was, a job is known to take at least that long.
    return ((ahead + 1) * (ofThis + ofBefore)) / (taken + 1);
  }

  /** Records that a job of the owner waits. */
  waits(owner: number, now: number): void {
    if (!this.paces.has(owner)) this.paces.set(owner, { began: now, since: now, before: 0, taken: 0 });
  }

  /** Records that `count` of the owner's jobs were taken or refused, and `left` still wait. */
  took(owner: number, count: number, left: number, now: number): void {
    const pace = this.paces.get(owner);
    if (pace === undefined) return;
    if (left === 0) {
      this.paces.delete(owner);
      return;
    }
    this.turn(pace, now);
    pace.taken += count;
  }

  private turn(pace: Pace, now: number): void {
    const halves = Math.floor((now - pace.since) / HALF_MS);
    // Where nothing was taken for longer than that, all of the time counts.
    if (halves === 0 || (pace.taken === 0 && pace.before === 0)) return;
    pace.before = halves === 1 ? pace.taken : 0;
    pace.taken = 0;
    pace.since = halves === 1 ? pace.since + HALF_MS : now - HALF_MS;
  }
}
