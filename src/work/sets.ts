import { isDataFault } from '../db/batching/batch.ts';

export interface SetWork {
  /** Members of a set. */
  size: number;
  /** Does up to `limit` of what is due, first come first, in one transaction; gives how many. */
  work: (limit: number) => Promise<number>;
  /** Takes the first out of the way, which fails for what is in it; gives how many. */
  giveUp: (error: unknown) => Promise<number>;
}

/** Does a set. One that fails for what is in it is gone through one by one, so that what is at fault holds nobody up. */
export async function inSets({ size, work, giveUp }: SetWork): Promise<number> {
  try {
    return await work(size);
  } catch (error) {
    if (!isDataFault(error)) throw error;
  }
  try {
    return await work(1);
  } catch (error) {
    if (!isDataFault(error)) throw error;
    return giveUp(error);
  }
}

/** After so many failures in a row it is not the companies: the database is away. */
const FAILURES_IN_A_ROW = 10;

/** Some companies could not be served, and others were: no reason to let these wait. */
export class PartlyFailed extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'PartlyFailed';
  }
}

/**
 * Serves the companies one after the other, or `lanes` at once: what fails for one holds none of the others up. Gives how
 * much was done for all; once everybody has had a turn, throws the first failure, as `PartlyFailed` where something was
 * done.
 */
export async function eachCompany<Turn>(
  turns: readonly Turn[],
  signal: AbortSignal,
  serve: (turn: Turn) => Promise<number>,
  lanes = 1,
): Promise<number> {
  let next = 0;
  let done = 0;
  let inARow = 0;
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    while (next < turns.length && !signal.aborted && inARow < FAILURES_IN_A_ROW) {
      try {
        const served = await serve(turns[next++]!);
        // Not in one expression: what the other lanes did meanwhile would be forgotten.
        done += served;
        inARow = 0;
      } catch (error) {
        failures.push(error);
        inARow++;
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (failures.length === 0) return done;
  throw done > 0 ? new PartlyFailed(failures[0]) : failures[0];
}
