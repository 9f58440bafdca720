import { beforeAll, expect, test } from 'vitest';
import { TestImports } from '../../../imports/testing/imports.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { measuredPlan, recordStatements, rowsRead, type SentStatement } from '../../../testing/statements.ts';

const server = testServer();
const STORED = 25_000;
/** Rows of the file; every third has a phone number. */
const ROWS = 600;

let shop: TestCompany;
let lookUps: SentStatement[];

beforeAll(async () => {
  shop = await server.company();
  await server.rows('alter table contacts set (autovacuum_enabled = false)');
  await server.rows(
    `insert into contacts (company_id, email, phone, external_id, search, email_consent, sms_consent, email_consent_source, sms_consent_source, created_at, updated_at)
     select $1, 'p' || n || '@example.com', '+4179' || (1000000 + n), 'x' || n, 'p', 'subscribed', 'never', 'import', 'import', now(), now()
     from generate_series(1, $2::int) n`,
    [shop.company_id, STORED],
  );
  const imports = new TestImports(server, shop);
  // Every second contact is stored already.
  const line = (n: number): string =>
    `${n % 2 === 0 ? 'p' : 'q'}${n + 1}@example.com,${n % 3 === 0 ? `+4178${2_000_000 + n}` : ''},yes`;
  const file = `email,phone,consent\n${Array.from({ length: ROWS }, (_, n) => line(n)).join('\n')}\n`;
  const statements = await recordStatements(async () => {
    expect(await imports.import('csv-contacts', file)).toMatchObject({ created: ROWS / 2, refused: 0 });
  });
  const byExternalId = Array.from({ length: 200 }, (_, n) => ({ external_id: `x${n + 1}`, first_name: 'New' }));
  statements.push(
    ...(await recordStatements(async () => {
      const { body } = await shop.marketing('POST', '/contacts/batch', { contacts: byExternalId });
      expect(body).toMatchObject({ updated: 200 });
    })),
  );
  lookUps = statements.filter(({ text }) => /from contacts c\b/.test(text) && /unnest|any\(/.test(text));
});

test.each([['never analyzed'], ['analyzed']])(
  'the keys of a batch are looked up one by one in a table that was %s',
  async (state) => {
    if (state === 'analyzed') await server.rows('analyze contacts');
    else
      expect(await server.rows("select reltuples from pg_class where relname = 'contacts'")).toEqual([
        { reltuples: -1 },
      ]);
    // Two look-ups of the check, two of the run, and those of the API, which also reads the lists of its contacts.
    expect(lookUps.length).toBeGreaterThanOrEqual(6);
    for (const statement of lookUps) {
      const plan = await measuredPlan(server.rows, statement);
      // Each contact is found by its key, and read by its id.
      expect(rowsRead(plan, 'contacts'), `${statement.text}\n${JSON.stringify(plan, null, 1)}`).toBeLessThan(
        2.5 * ROWS,
      );
    }
  },
);
