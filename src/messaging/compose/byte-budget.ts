import { createFairQueue } from '../../lib/fair-queue.ts';

/** A held part of the budget. */
export interface Reservation {
  /** Reduces the reservation to the actual size. */
  shrinkTo(bytes: number): void;
  release(): void;
}

/**
 * Bounds the memory that composed messages use in a process. Companies take turns, and each may hold at most its share, so that one
 * company's slow mail server does not stop the composing of another's messages.
 */
export interface ByteBudget {
  /** Does not wait; returns null if nothing is free. */
  tryReserve(companyId: number, bytes: number): Reservation | null;
  reserve(companyId: number, bytes: number): Promise<Reservation>;
  readonly used: number;
}

export function createByteBudget(total: number, share = 1 / 2): ByteBudget {
  const waiting = createFairQueue<{ bytes: number; grant(): void }>({ maxWaiting: 0 });
  const held = new Map<number, number>();
  let used = 0;

  function change(companyId: number, bytes: number): void {
    used += bytes;
    const now = (held.get(companyId) ?? 0) + bytes;
    if (now === 0) held.delete(companyId);
    else held.set(companyId, now);
  }

  /** All callers reserve the same size, so if one request fits, any would. */
  function fits(companyId: number, bytes: number): boolean {
    return used + bytes <= total && (held.get(companyId) ?? 0) + bytes <= total * share;
  }

  function grantWaiting(bytes: number): void {
    for (;;) {
      const next = waiting.take((companyId) => fits(companyId, bytes));
      if (next === undefined) return;
      next.item.grant();
    }
  }

  function take(companyId: number, asked: number): Reservation {
    change(companyId, asked);
    let holds = asked;
    const shrinkTo = (bytes: number): void => {
      const freed = Math.max(0, holds - bytes);
      holds -= freed;
      change(companyId, -freed);
      grantWaiting(asked);
    };
    return { shrinkTo, release: () => shrinkTo(0) };
  }

  function tryReserve(companyId: number, bytes: number): Reservation | null {
    return waiting.size === 0 && fits(companyId, bytes) ? take(companyId, bytes) : null;
  }

  return {
    tryReserve,
    reserve(companyId, bytes) {
      const free = tryReserve(companyId, bytes);
      if (free !== null) return Promise.resolve(free);
      return new Promise((resolve) => {
        waiting.add({ bytes, grant: () => resolve(take(companyId, bytes)) }, companyId, 'bulk');
        grantWaiting(bytes);
      });
    },
    get used() {
      return used;
    },
  };
}
