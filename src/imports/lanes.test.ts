import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { recordStatements } from '../testing/statements.ts';
import { TestImports } from './testing/imports.ts';

const server = testServer();
let shop: TestCompany;
let imports: TestImports;

beforeEach(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
});

const contactsBy = (emails: string[]) =>
  server.rows<{ email: string; phone: string | null; first_name: string }>(
    'select email, phone, first_name from contacts where company_id = $1 and email = any($2) order by email',
    [shop.company_id, emails],
  );

test('a row sees what the batch before it did to its contact, though two batches are written at a time', async () => {
  const rows = Array.from({ length: 5_000 }, (_, i) => `p${i}@example.com,P${i},`);
  rows[990] = 'first@example.com,First,+31612345001';
  // Lives with the first, whose number it stays.
  rows[1_010] = 'second@example.com,Second,+31612345001';
  rows[2_990] = 'third@example.com,Third,+31612345003';
  // Whom no address names: the number does.
  rows[3_010] = ',Renamed,+31612345003';
  const id = await imports.upload('csv-contacts', `email,first name,phone\n${rows.join('\n')}\n`);
  await imports.check(id, { email_consent: 'never' });
  expect(await imports.run(id)).toMatchObject({ status: 'done', created: 4_999, updated: 1, refused: 0 });
  expect(await contactsBy(['first@example.com', 'second@example.com', 'third@example.com'])).toEqual([
    { email: 'first@example.com', phone: '+31612345001', first_name: 'First' },
    { email: 'second@example.com', phone: null, first_name: 'Second' },
    { email: 'third@example.com', phone: '+31612345003', first_name: 'Renamed' },
  ]);
  expect(await imports.undo(id)).toMatchObject({ status: 'undone', undone: 5_000, kept: 0 });
  expect(await server.rows('select 1 from contacts where company_id = $1', [shop.company_id])).toEqual([]);
});

test.each([3_002, 3_004])('a request that adds a contact waits for a batch that holds the lock %i', async (lock) => {
  const batch = new pg.Client(server.connection);
  await batch.connect();
  try {
    await batch.query('begin');
    await batch.query('select pg_advisory_xact_lock($1, hashint8($2))', [lock, shop.company_id]);
    let isAdded = false;
    const adding = shop.marketing('POST', '/contacts', { email: 'new@example.com' }).then((response) => {
      isAdded = true;
      return response;
    });
    await sleep(300);
    expect(isAdded).toBe(false);
    await batch.query('commit');
    expect((await adding).status).toBe(201);
  } finally {
    await batch.end();
  }
});

test('the keys of a batch are looked up in their indexes, while the table was never analyzed', async () => {
  const rows = Array.from({ length: 1_000 }, (_, i) => `k${i}@example.com,+3161300${1_000 + i}`);
  const id = await imports.upload('csv-contacts', `email,phone\n${rows.join('\n')}\n`);
  await imports.check(id, { email_consent: 'never' });
  const statements = await recordStatements(() => imports.run(id));
  const { text, values } = statements.find((one) => one.text.includes('for no key update') && one.values.length > 2)!;
  const plan = await server.rows<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
  const lines = plan.map((row) => row['QUERY PLAN']);
  expect(lines.filter((line) => /Seq Scan|Filter: .*(email|phone)/.test(line))).toEqual([]);
  for (const field of ['email', 'phone']) {
    expect(lines.filter((line) => line.includes('Index Cond') && line.includes(`(${field} =`))).toHaveLength(1);
  }
});
