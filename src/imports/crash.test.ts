import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { findEmbedded } from '../db/embedded/embedded.ts';
import type { TestBody } from '../testing/harness.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from '../testing/program.ts';
import { CHUNK_BYTES } from './contract.ts';

/** IMPORT_ROWS and IMPORT_KILLS prove the same at length. */
const ROWS = Number(process.env.IMPORT_ROWS ?? 6_000);
const KILLS = Number(process.env.IMPORT_KILLS ?? 3);

const dataDir = temporaryDataFolder();

async function json(args: string[]): Promise<TestBody> {
  const outcome = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir });
  expect(outcome.stderr).toBe('');
  return JSON.parse(outcome.stdout);
}

async function onDatabase(text: string, values: unknown[] = []): Promise<TestBody[]> {
  const database = new pg.Client(await findEmbedded(dataDir));
  await database.connect();
  try {
    return (await database.query<TestBody>(text, values)).rows;
  } finally {
    await database.end();
  }
}

test(`${ROWS} rows over ${KILLS} kills with -9 in each phase: each row is checked, imported and undone once`, {
  retry: 0,
  timeout: 240_000,
}, async () => {
  let program: Program = await startProgram(['--empty', '--data-dir', dataDir]);
  const company = String((await json(['companies', 'create', '--name', 'Crash shop'])).company_id);
  const options = ['--company', company, '--name', 'load', '--scope', '*', '--requests-per-hour', '0'];
  const { key } = await json(['keys', 'create', ...options]);
  const call = async (method: string, path: string, body?: unknown): Promise<TestBody> => {
    const response = await fetch(`${program.origin}/commerce/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const result = (await response.json()) as TestBody;
    expect(response.status, JSON.stringify(result)).toBeLessThan(300);
    return result.data;
  };
  const lines = Array.from({ length: ROWS }, (_, i) => `p${i}@example.com,P${i},${i % 100 === 0 ? 'perhaps' : 'yes'}`);
  const file = Buffer.from(`email,first name,consent\n${lines.join('\n')}\n`);
  const { id } = await call('POST', '/imports', { format: 'csv-contacts', file_name: 'people.csv' });
  for (let at = 0, n = 0; at < file.length; at += CHUNK_BYTES, n++) {
    await call('POST', `/imports/${id}/chunks`, { n, data: file.subarray(at, at + CHUNK_BYTES).toString('base64') });
  }
  const ended = async (status: string): Promise<TestBody> => {
    const row = await call('GET', `/imports/${id}`);
    if (row.status === status) return row;
    expect(row.error).toBeNull();
    await sleep(50);
    return ended(status);
  };
  /** Lets a phase come further and kills the program, some times over; `reached` says how far an import has come. Gives how far it was each time. */
  const killed = async (status: string, reached: (row: TestBody) => number): Promise<number[]> => {
    const seen: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const before = seen.at(-1) ?? 0;
      for (;;) {
        const row = await call('GET', `/imports/${id}`);
        if (row.status !== status) return seen;
        if (reached(row) > before) {
          seen.push(reached(row));
          break;
        }
        await sleep(2);
      }
      await program.end('SIGKILL');
      program = await startProgram(['--data-dir', dataDir]);
      // What the dead one held is free after 30 s of the database's time: the test does not wait for them.
      await onDatabase(
        "update imports set lease_until = clock_timestamp() - interval '1 second' where status in ('checking', 'running', 'undoing')",
      );
    }
    return seen;
  };
  await call('POST', `/imports/${id}/check`, {});
  const checks = await killed('checking', ({ position }) => position);
  const checked = await ended('checked');
  const refused = Math.ceil(ROWS / 100);
  expect(checked).toMatchObject({ total: ROWS, position: ROWS, created: ROWS - refused, updated: 0, refused });
  const before = await onDatabase('select count(*)::int as n from contacts where company_id = $1', [company]);
  expect(before).toEqual([{ n: 0 }]);
  const [findings] = await onDatabase(
    'select count(*)::int as n, count(distinct row)::int as rows from import_findings',
  );
  expect(findings).toEqual({ n: refused, rows: refused });
  await call('POST', `/imports/${id}/run`);
  const runs = await killed('running', ({ position }) => position);
  const done = await ended('done');
  expect(done).toMatchObject({ total: ROWS, position: ROWS, created: ROWS - refused, updated: 0, refused });
  expect(runs[0]).toBeLessThan(ROWS);
  const rows = await onDatabase(
    'select count(*)::int as n, count(distinct email)::int as people from contacts where company_id = $1',
    [company],
  );
  expect(rows).toEqual([{ n: ROWS - refused, people: ROWS - refused }]);
  const journal = await onDatabase(
    'select sum(cardinality(record_ids))::int as n from import_journal where company_id = $1',
    [company],
  );
  expect(journal).toEqual([{ n: ROWS - refused }]);

  // One that was changed since stays.
  await onDatabase("update contacts set updated_at = updated_at + interval '1 s' where email = 'p1@example.com'");
  await call('POST', `/imports/${id}/undo`);
  const undos = await killed('undoing', ({ undone }) => undone);
  expect(await ended('undone')).toMatchObject({ undone: ROWS - refused - 1, kept: 1 });
  expect(await onDatabase('select email from contacts where company_id = $1', [company])).toEqual([
    { email: 'p1@example.com' },
  ]);
  expect(await onDatabase('select count(*)::int as n from contact_last_activity')).toEqual([{ n: 1 }]);
  await program.end('SIGTERM');
  expect(await json(['doctor'])).toMatchObject({ ok: true });
  // Each phase was killed on its way at least once.
  expect([checks.length, undos.length].every((kills) => kills > 0)).toBe(true);
});
