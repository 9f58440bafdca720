import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { allSlices } from '../work/slices.ts';
import { TestImports } from './testing/imports.ts';
import { purgeImports } from './upkeep.ts';

const server = testServer();
let shop: TestCompany;
let imports: TestImports;

beforeEach(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
});

const FILE = 'email,first name,consent\nann@example.com,Ann,yes\nbob@example.com,Bob,yes\n';
const emails = async () =>
  (await server.rows<{ email: string }>('select email from customers where company_id = $1', [shop.company_id])).length;

/** An import that has written its rows and then failed, as one does whose server is out of order. */
async function failed(): Promise<number> {
  const { id } = await imports.import('csv-customers', FILE);
  await server.rows("update imports set status = 'failed' where company_id = $1 and id = $2", [shop.company_id, id]);
  server.clock.advance(60_000);
  return id;
}

describe('an import that failed on its way', () => {
  test('and is checked again and cancelled can be undone', async () => {
    const id = await failed();
    expect(await imports.check(id)).toMatchObject({ status: 'checked', unchanged: 2 });
    expect(await imports.call('POST', `/imports/${id}/cancel`)).toMatchObject({
      status: 'done',
      undo_until: expect.any(String),
    });
    expect(await imports.undo(id)).toMatchObject({ kept: 0 });
    expect(await emails()).toBe(0);
  });

  test('and is checked again and left alone for a day can be undone', async () => {
    const id = await failed();
    await imports.check(id);
    server.clock.advance(25 * 3_600_000);
    await allSlices(purgeImports(server.app.db.chores, server.clock));
    expect(await imports.undo(id)).toMatchObject({ status: 'undone', kept: 0 });
    expect(await emails()).toBe(0);
  });

  test.each([FILE, 'email,first name,consent\nann@example.com,Anna,yes\nbob@example.com,Bob,yes\n'])(
    'and is run again is undone from its first run on',
    async (file) => {
      const id = await failed();
      const data = Buffer.from(file);
      await server.rows('update import_chunks set data = $3 where company_id = $1 and import_id = $2', [
        ...[shop.company_id, id],
        data,
      ]);
      await imports.check(id);
      expect(await imports.run(id)).toMatchObject({ status: 'done', created: 0 });
      expect(await imports.undo(id)).toMatchObject({ status: 'undone', kept: 0 });
      expect(await emails()).toBe(0);
    },
  );
});

test('of many files that begin at the same moment three are open', async () => {
  const made = await Promise.all(
    Array.from({ length: 8 }, () =>
      shop.commerce('POST', '/imports', { format: 'csv-customers', file_name: 'people.csv' }),
    ),
  );
  expect(made.filter(({ status }) => status === 201)).toHaveLength(3);
});
