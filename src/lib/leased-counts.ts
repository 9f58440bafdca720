/** What a process may count in its own memory of a number that all processes share in the database. */
export interface Leased {
  /** So many may still be taken without asking. */
  unused: number;
  /** The question that is on its way; everybody who found nothing left waits for the same one. */
  asking: Promise<void> | undefined;
}

/**
 * Takes one, and asks for more where none is left, again and again until there is one or all are used up.
 * @param lease asks once and writes what was granted into `leased`
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
