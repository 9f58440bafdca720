/** Buckets per doubling: quantiles are at most 1/64, about 1.6 %, above the true value. */
const STEPS = 64;
/** 2^26 µs, a little over a minute: longer durations count as that. */
const DOUBLINGS = 26;

/** Counts durations in buckets whose width grows with the duration. */
export class Histogram {
  /** One count per bucket; two histograms are sent as counts, and added count by count. */
  readonly counts: number[];

  constructor(counts: readonly number[] = new Array<number>(STEPS * (DOUBLINGS + 1)).fill(0)) {
    this.counts = [...counts];
  }

  /** @param micros duration in microseconds, ≥ 0 */
  record(micros: number): void {
    const bucket = bucketOf(micros);
    this.counts[bucket] = this.counts[bucket]! + 1;
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  /** The upper end, in microseconds, of the bucket where the share `q` (0 to 1) of all durations is reached; 0 if none. */
  quantile(q: number): number {
    const wanted = Math.max(1, Math.ceil(this.total * q));
    let seen = 0;
    for (let bucket = 0; bucket < this.counts.length; bucket++) {
      seen += this.counts[bucket]!;
      if (seen >= wanted) return upperEnd(bucket);
    }
    return 0;
  }
}

/** Below STEPS each microsecond has its own bucket; above, each doubling has STEPS of them. */
function bucketOf(micros: number): number {
  const whole = Math.min(Math.floor(micros), 2 ** DOUBLINGS - 1);
  if (whole < STEPS) return whole;
  const doubling = 31 - Math.clz32(whole) - Math.log2(STEPS);
  return STEPS * doubling + (whole >> doubling);
}

function upperEnd(bucket: number): number {
  if (bucket < 2 * STEPS) return bucket + 1;
  const doubling = Math.floor(bucket / STEPS) - 1;
  return (bucket - STEPS * doubling + 1) * 2 ** doubling;
}
