import { Overloaded } from '../errors.ts';

/** What one holder, such as a company or a network, may have of a budget. */
export interface Share {
  of: string;
  most: number;
}

/** Counts bytes that are held at a time: in total, and by each holder. */
export class ByteBudget {
  private used = 0;
  private readonly usedBy = new Map<string, number>();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  heldBy(holder: string): number {
    return this.usedBy.get(holder) ?? 0;
  }

  get held(): number {
    return this.used;
  }

  get isFull(): boolean {
    return this.used >= this.max;
  }

  /**
   * Takes bytes that count for each of the holders. Returns a function that releases them, once. More than a share is only given to a
   * holder that has nothing. Throws Overloaded.
   */
  take(bytes: number, shares: readonly Share[]): () => void {
    const isOver = ({ of, most }: Share): boolean => this.heldBy(of) > 0 && this.heldBy(of) + bytes > most;
    if (this.used + bytes > this.max || shares.some(isOver)) throw new Overloaded();
    return this.add(
      bytes,
      shares.map(({ of }) => of),
    );
  }

  /** Counts bytes that are there already, whatever the limits. Returns a function that releases them, once. */
  add(bytes: number, holders: readonly string[]): () => void {
    this.change(bytes, holders);
    let isReleased = false;
    return () => {
      if (!isReleased) this.change(-bytes, holders);
      isReleased = true;
    };
  }

  private change(bytes: number, holders: readonly string[]): void {
    this.used += bytes;
    for (const holder of holders) {
      const held = this.heldBy(holder) + bytes;
      if (held === 0) this.usedBy.delete(holder);
      else this.usedBy.set(holder, held);
    }
  }
}
