import { beforeAll, expect, test } from 'vitest';
import { rawSql } from '../db/sql.ts';
import { temporaryDataFolder, tradeloom } from '../testing/program.ts';
import { withDatabase } from './database.ts';

const dataDir = temporaryDataFolder({ serverRuns: true, prepared: true });

const cli = (...args: string[]) => tradeloom([...args, '--data-dir', dataDir]);
async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await cli(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

interface Refused {
  companies: { company_id: number; refused: number; refusals: { refusal_id: number; reason: string }[] }[];
}

beforeAll(async () => {
  for (const name of ['One', 'Two']) await json('companies', 'create', '--name', name);
  await withDatabase({ dataDir }, ({ db }) =>
    db.query(
      rawSql(`insert into outbox_refusals (company_id, id, topic, payload, reason, occurred_at, refused_at)
        select 1 + n / 3, n + 1, 'order_placed', '{}', 'an internal error', now(), now() from generate_series(0, 4) n`),
    ),
  );
});

test('rejected events are shown by company, and doctor reports them', async () => {
  const { companies } = await json<Refused>('outbox', 'refused');
  expect(companies.map(({ company_id, refused }) => [company_id, refused])).toEqual([
    [1, 3],
    [2, 2],
  ]);
  const { stdout } = await cli('outbox', 'refused', '--company', '2');
  expect(stdout).toMatch(
    /^Company 2: 2 refused events\.\nCOMPANY +ID +EVENT .*\n2 +4 +order_placed .*an internal error\n/,
  );
  const doctor = await cli('doctor');
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain('company 2, 2 refused events, the last for: an internal error');
  expect(doctor.stdout).toContain('tradeloom outbox replay');
});

test('one is replayed, then all of them, and the doctor is content', async () => {
  expect(await json('outbox', 'replay', '--company', '1', '--id', '2')).toEqual({ replayed: 1 });
  expect((await cli('outbox', 'replay', '--company', '1', '--id', '2')).code).toBe(1);
  expect((await cli('outbox', 'replay', '--id', '2')).code).toBe(2);
  expect(await json('outbox', 'replay')).toEqual({ replayed: 4 });
  expect(await json('outbox', 'refused')).toEqual({ companies: [] });
  expect((await cli('doctor')).code).toBe(0);
});
