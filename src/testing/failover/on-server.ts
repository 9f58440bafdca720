import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { monotonicMs } from '../../clock.ts';
import type { Connection } from '../../db/embedded/server-plan.ts';

const PATIENCE_MS = 60_000;

export async function waitFor(reached: () => Promise<boolean>): Promise<void> {
  for (const limit = monotonicMs() + PATIENCE_MS; !(await reached()); await sleep(20)) {
    if (monotonicMs() > limit) throw new Error('The servers take too long');
  }
}

/** Runs statements on a server. */
export async function on<Row>({ connection }: { connection: Connection }, text: string): Promise<Row[]> {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}
