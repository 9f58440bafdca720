import pg from 'pg';
import { Turn } from '../db/batching/turn.ts';

export interface SentStatement {
  text: string;
  values: unknown[];
  /** The turn in which it was sent: a turn begins when nothing of the recorded work is on its way. */
  turn: number;
}

/** Signs of life of idle connections, the poll of the companies' versions, and the request log, written a second later. */
const BESIDE_EVERYTHING = /^$|pg_snapshot_xmin|\bapi_requests\b/;

/**
 * Records every statement that the process sends to the database while `work` runs, and which may look at `sent`
 * meanwhile. Leaves out what runs beside everything, whatever the work is: whether it falls into this time is chance.
 */
export async function recordStatements(
  work: () => Promise<unknown>,
  sent: SentStatement[] = [],
): Promise<SentStatement[]> {
  let onTheirWay = 0;
  let turn = 0;
  const original = pg.Client.prototype.query;
  const recording = function (this: pg.Client, ...args: unknown[]): unknown {
    const [query] = args;
    const own = query instanceof Turn ? query.statements.filter(({ text }) => !BESIDE_EVERYTHING.test(text)) : [];
    if (query instanceof Turn && own.length > 0) {
      if (onTheirWay === 0) turn++;
      onTheirWay++;
      for (const { text, values } of own) sent.push({ text, values, turn });
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
