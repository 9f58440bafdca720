import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { sql } from '../sql.ts';
import { lowerPriority } from './connection.ts';

const server = testServer();

/** The nice value of the server process behind a connection of this lane. */
async function priorityOf(lane: 'points' | 'lists'): Promise<number> {
  const { company_id: companyId } = await server.company();
  const [row] = await server.app.db[lane](companyId).query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  const stat = readFileSync(`/proc/${row!.pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
}

const embedded = process.platform === 'linux' && process.env.TEST_DATABASE_URL === undefined;

if (embedded) {
  it('the embedded server gives lists a lower priority than single records', async () => {
    const usual = await priorityOf('points');
    expect(await priorityOf('lists')).toBe(usual + 5);
  });
} else {
  process.stderr.write('SKIPPED: priorities need the embedded server on Linux\n');
}

it('a server on the network keeps its priority', async () => {
  const usual = getPriority();
  await lowerPriority({ host: '127.0.0.1' }, process.pid);
  expect(getPriority()).toBe(usual);
});
