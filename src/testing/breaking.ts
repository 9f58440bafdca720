import pg from 'pg';
import { PipelinedTurn } from '../db/wire/pipelined.ts';

/**
 * Runs `work` while the connection of its n-th round trip breaks before the statements are sent, or with `sent` after, as when a process or
 * the database is killed. Returns whether there was such a round trip.
 */
export async function breaking(n: number, sent: boolean, work: () => Promise<unknown>): Promise<boolean> {
  let turn = 0;
  const original = pg.Client.prototype.query;
  const broken = function (this: pg.Client & { connection: { stream: { destroy(): void } } }, ...args: unknown[]) {
    const [query] = args;
    const texts = query instanceof PipelinedTurn ? query.statements.map(({ text }) => text) : [];
    const isOurs = texts.some((text) => text !== '' && !/pg_snapshot_xmin|api_requests|tracking_hosts/.test(text));
    const breaks = isOurs && ++turn === n;
    if (breaks && !sent) this.connection.stream.destroy();
    const result: unknown = (original as (...all: unknown[]) => unknown).apply(this, args);
    if (breaks && sent) this.connection.stream.destroy();
    return result;
  };
  pg.Client.prototype.query = broken as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
  return turn >= n;
}
