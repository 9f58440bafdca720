import pg from 'pg';

export interface SentStatement {
  text: string;
  values: unknown[];
  /** The turn in which it was sent: a turn begins when nothing of the recorded work is on its way. */
  turn: number;
}

/** Records every statement that the process sends to the database while `work` runs. */
export async function recordStatements(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const sent: SentStatement[] = [];
  let onTheirWay = 0;
  let turn = 0;
  const original = pg.Client.prototype.query;
  const recording = function (this: pg.Client, ...args: unknown[]): unknown {
    const [query] = args as [string | pg.QueryConfig];
    const { text, values } = typeof query === 'string' ? { text: query, values: [] } : query;
    // The poll of the companies' versions runs beside everything.
    if (text.includes('pg_snapshot_xmin')) return (original as (...all: unknown[]) => unknown).apply(this, args);
    if (onTheirWay === 0) turn++;
    onTheirWay++;
    sent.push({ text, values: (values as unknown[]) ?? [], turn });
    const result = (original as (...all: unknown[]) => Promise<unknown>).apply(this, args);
    const done = (): void => {
      onTheirWay--;
    };
    result.then(done, done);
    return result;
  };
  pg.Client.prototype.query = recording as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
  return sent;
}
