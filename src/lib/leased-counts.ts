/** A process's share of a number that all processes share in the database, counted in its own memory. */
export interface Leased {
  /** How many may still be taken without a new lease. */
  unused: number;
  /** The request in flight; all callers that found nothing left wait for the same one. */
  asking: Promise<void> | undefined;
}

/**
 * Takes one. Where none is left, leases more, repeatedly, until there is one or all are used up.
 * @param lease requests once and writes what was granted into `leased`
 * @param isUsedUp whether the last response said that there is no more
 * @returns false where all are used up
 * @throws what `lease` throws
 */
export async function takeLeased(
  leased: Leased,
  lease: () => Promise<void>,
  isUsedUp: () => boolean,
): Promise<boolean> {
  for (;;) {
    leased.asking ??= lease().finally(() => {
      leased.asking = undefined;
    });
    await leased.asking;
    if (leased.unused > 0) {
      leased.unused--;
      return true;
    }
    if (isUsedUp()) return false;
  }
}
