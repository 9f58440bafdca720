import pg from 'pg';
import { Turn } from '../db/batching/turn.ts';

export interface SentStatement {
  text: string;
  values: unknown[];
  /** The turn in which it was sent: a turn begins when nothing of the recorded work is on its way. */
  turn: number;
}

/** Records every statement that the process sends to the database while `work` runs, and which may look at `sent` meanwhile. */
export async function recordStatements(
  work: () => Promise<unknown>,
  sent: SentStatement[] = [],
): Promise<SentStatement[]> {
  let onTheirWay = 0;
  let turn = 0;
  const original = pg.Client.prototype.query;
  const recording = function (this: pg.Client, ...args: unknown[]): unknown {
    const [query] = args;
    // The poll of the companies' versions and signs of life of idle connections run beside everything.
    if (
      query instanceof Turn &&
      !query.statements.some(({ text }) => text === '' || text.includes('pg_snapshot_xmin'))
    ) {
      if (onTheirWay === 0) turn++;
      onTheirWay++;
      for (const { text, values } of query.statements) sent.push({ text, values, turn });
      query.once('end', () => {
        onTheirWay--;
      });
    }
    return (original as (...all: unknown[]) => unknown).apply(this, args);
  };
  pg.Client.prototype.query = recording as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
  return sent;
}
