import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { type TestPerson, testPerson } from '../testing/people.ts';
import { exportedFiles } from './export.ts';

const server = testServer();
let shop: TestCompany;
let owner: TestPerson;

beforeAll(async () => {
  shop = await server.company();
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
});

const ask = (signal?: AbortSignal): Promise<Response> =>
  fetch(`${server.origin}/admin/api/${shop.company_id}/export`, {
    headers: { cookie: owner.cookie },
    ...(signal === undefined ? {} : { signal }),
  });

async function statusOfAnother(): Promise<number> {
  const response = await ask();
  await response.arrayBuffer();
  return response.status;
}

const snapshots = (): Promise<unknown[]> =>
  server.rows(
    `select pid from pg_stat_activity
     where datname = current_database() and state = 'idle in transaction' and query not like 'lock table%'`,
  );

test('a client that goes away before anything is sent leaves its place and its snapshot', async () => {
  const holder = new pg.Client(server.connection);
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table audit_log in share mode');
    const leaving = new AbortController();
    const asked = ask(leaving.signal).then(
      () => 'sent',
      () => 'gone',
    );
    // The export has begun its files and waits for its row in the audit log.
    await expect.poll(snapshots).toHaveLength(1);
    leaving.abort();
    expect(await asked).toBe('gone');
    // Waits until the server has noticed the disconnect.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await holder.query('rollback');
  } finally {
    await holder.end();
  }
  await expect.poll(statusOfAnother).toBe(200);
  await expect.poll(snapshots).toEqual([]);
});

test('ends its connection when it is told to, also while rows are awaited', async () => {
  const holder = new pg.Client(server.connection);
  await holder.connect();
  const ending = new AbortController();
  const now = server.clock.now();
  const files = exportedFiles(server.connection, shop.company_id, {
    masterKey: server.app.masterKey,
    now,
    signal: ending.signal,
    idleMs: 60_000,
  });
  try {
    await holder.query('begin');
    await holder.query('lock table contacts in access exclusive mode');
    const reading = (async () => {
      for await (const { pieces } of files) for await (const _piece of pieces);
    })();
    const failed = expect(reading).rejects.toThrow('Connection terminated');
    await expect.poll(() => server.lockWaits('relation')).toBe(1);
    ending.abort();
    await failed;
  } finally {
    await holder.end();
  }
});

test('is ended by the database if it is idle for too long', async () => {
  const now = server.clock.now();
  const options = { masterKey: server.app.masterKey, now, idleMs: 100 };
  const files = exportedFiles(server.connection, shop.company_id, options);
  await files.next();
  await expect.poll(snapshots).toEqual([]);
  await files[Symbol.asyncDispose]();
});
