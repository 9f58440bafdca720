import { AppError } from '../../errors.ts';
import { sqlState } from '../pool.ts';
import { CommitUnknown } from '../unavailable.ts';

/** Whether a lock or a whole statement timed out: perhaps because of one member, perhaps because the database is slow. */
export function isTimeout(error: unknown): boolean {
  return /^(55P03|57014)$/.test(sqlState(error));
}

/**
 * Whether to run the batch again in halves. That is right where the transaction is known to be rolled back because of
 * what was in it: the database refused a statement for its data or its cost, or the program threw. A COMMIT of unknown
 * outcome must never be repeated, and a lost connection or a server that is down fails all members alike.
 */
export function isDataFault(error: unknown): boolean {
  if (error instanceof CommitUnknown) return false;
  if (error instanceof AppError || error instanceof TypeError || error instanceof RangeError) return true;
  return /^(22|23|P0|40|54|57014)/.test(sqlState(error));
}
