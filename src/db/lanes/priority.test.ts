import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { sql } from '../sql.ts';

const server = testServer();

/** Of `nice`, of the server's process behind a connection of this lane. */
async function priorityOf(lane: 'points' | 'lists'): Promise<number> {
  const { company_id: companyId } = await server.company();
  const [row] = await server.app.db[lane](companyId).query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  const stat = readFileSync(`/proc/${row!.pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
}

const embedded = process.platform === 'linux' && process.env.TEST_DATABASE_URL === undefined;

describe.runIf(embedded)('the embedded server', () => {
  it('gives lists a lower priority than single records', async () => {
    const usual = await priorityOf('points');
    expect(await priorityOf('lists')).toBe(usual + 5);
  });
});
