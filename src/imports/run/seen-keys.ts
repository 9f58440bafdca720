import { hash } from 'node:crypto';

const START = 1 << 16;

/**
 * The keys of a file's records so far, each with its row. Takes 12 bytes per slot, at most 48 MiB for the largest file. Two different keys
 * are confused with a probability of 2^-64.
 */
export class SeenKeys {
  private high = new Uint32Array(START);
  private low = new Uint32Array(START);
  private rows = new Uint32Array(START);
  private size = 0;

  /** Returns the row that has the key already; otherwise records this row and returns null. */
  add(key: string, row: number): number | null {
    if (this.size * 4 >= this.rows.length * 3) this.grow();
    const digest = hash('sha256', key, 'buffer');
    const high = digest.readUInt32LE(0);
    const low = digest.readUInt32LE(4);
    const at = this.place(high, low);
    if (this.rows[at] !== 0) return this.rows[at]!;
    this.high[at] = high;
    this.low[at] = low;
    this.rows[at] = row;
    this.size++;
    return null;
  }

  private place(high: number, low: number): number {
    const mask = this.rows.length - 1;
    let at = low & mask;
    while (this.rows[at] !== 0 && (this.high[at] !== high || this.low[at] !== low)) at = (at + 1) & mask;
    return at;
  }

  private grow(): void {
    const { high, low, rows } = this;
    const places = rows.length * 2;
    this.high = new Uint32Array(places);
    this.low = new Uint32Array(places);
    this.rows = new Uint32Array(places);
    for (let i = 0; i < rows.length; i++) {
      if (rows[i] === 0) continue;
      const at = this.place(high[i]!, low[i]!);
      this.high[at] = high[i]!;
      this.low[at] = low[i]!;
      this.rows[at] = rows[i]!;
    }
  }
}
