import { isDataFault } from '../db/batching/batcher.ts';

export interface SetWork {
  /** Items per set. */
  size: number;
  /** Processes up to `limit` due items in order, in one transaction. Returns their number. */
  work: (limit: number) => Promise<number>;
  /** Sets aside the first item, whose data makes it fail. Returns the number of items set aside. */
  giveUp: (error: unknown) => Promise<number>;
}

/** Processes a set. After a data error it processes a single item, so that the faulty item does not block the others. */
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

/** After this many consecutive failures the database is considered unavailable. */
const FAILURES_IN_A_ROW = 10;

/** Some companies failed and others were served: the worker continues without backoff. */
export class PartlyFailed extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'PartlyFailed';
  }
}

/**
 * Serves the companies in order, `atOnce` at a time; a failure of one does not block the others. Returns the total done. Once
 * every company has had its turn, throws the first failure, as `PartlyFailed` if anything was done.
 */
export async function eachCompany<Turn>(
  turns: readonly Turn[],
  signal: AbortSignal,
  serve: (turn: Turn) => Promise<number>,
  atOnce = 1,
): Promise<number> {
  let next = 0;
  let done = 0;
  let inARow = 0;
  const failures: unknown[] = [];
  const serveOneByOne = async (): Promise<void> => {
    while (next < turns.length && !signal.aborted && inARow < FAILURES_IN_A_ROW) {
      try {
        const served = await serve(turns[next++]!);
        // Two statements: in one expression, `done` would be read before the await, and lose what others add meanwhile.
        done += served;
        inARow = 0;
      } catch (error) {
        failures.push(error);
        inARow++;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, serveOneByOne));
  if (failures.length === 0) return done;
  throw done > 0 ? new PartlyFailed(failures[0]) : failures[0];
}
