import { isDataFault } from '../db/batch.ts';

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

/**
 * Serves the companies one after the other: what fails for one holds none of the others up. Gives how much was done for
 * all; throws the first failure once everybody has had a turn.
 */
export async function eachCompany(
  companies: readonly number[],
  signal: AbortSignal,
  serve: (companyId: number) => Promise<number>,
): Promise<number> {
  let done = 0;
  let first: unknown;
  let inARow = 0;
  for (const companyId of companies) {
    if (signal.aborted || inARow === FAILURES_IN_A_ROW) break;
    try {
      done += await serve(companyId);
      inARow = 0;
    } catch (error) {
      first ??= error;
      inARow++;
    }
  }
  if (first !== undefined) throw first;
  return done;
}
