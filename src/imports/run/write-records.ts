import { sqlState, type Tx } from '../../db/pool.ts';
import { type ImportContext, type ImportKind, type Outcome, refused, type Written } from '../kinds/kind.ts';

export interface RecordsToWrite<R> {
  kind: ImportKind<R>;
  context: ImportContext;
  records: R[];
  phase: 'check' | 'run' | 'undo';
  /** Called for each record that the database refuses. */
  onFault: (index: number, error: unknown) => void;
}

/** Checks or writes a batch. If the database refuses its data, retries it record by record, so that only faulty records are refused. */
export async function writeRecords<R>(
  tx: Tx,
  { kind, context, records, phase, onFault }: RecordsToWrite<R>,
): Promise<Written> {
  if (records.length === 0) return { outcomes: [], journal: [] };
  const write = async (some: R[]): Promise<Written> =>
    phase === 'check' ? { outcomes: await kind.check(tx, context, some), journal: [] } : kind.write(tx, context, some);
  try {
    return await tx.savepoint(() => write(records));
  } catch (error) {
    if (!isFaultOfData(error)) throw error;
  }
  const outcomes: Outcome[] = [];
  const journal: Written['journal'] = [];
  for (const [i, record] of records.entries()) {
    try {
      const written = await tx.savepoint(() => write([record]));
      outcomes.push(...written.outcomes);
      journal.push(...written.journal);
    } catch (error) {
      if (!isFaultOfData(error)) throw error;
      onFault(i, error);
      outcomes.push(refused(null, 'the record has a value that cannot be stored'));
    }
  }
  return { outcomes, journal };
}

/** Data exceptions (22) and violated constraints (23). */
function isFaultOfData(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error));
}
