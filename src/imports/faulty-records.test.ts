import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkInvariants } from '../invariants.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { TestImports } from './testing/imports.ts';

const server = testServer();
let shop: TestCompany;
let imports: TestImports;

beforeEach(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
});
afterEach(async () => {
  const findings = await checkInvariants(server.app.db);
  expect(findings.filter(({ ok }) => !ok)).toEqual([]);
});

const reasons = async (id: number) => (await imports.findings(id)).map(({ row, reason }) => [row, reason]);

test('orders whose amounts are beyond all sense are refused, and the others imported', async () => {
  const done = await imports.import(
    'csv-orders',
    `number,email,item name,quantity,price,shipping
      1,ann@example.com,Cup,1,5,0
      2,ann@example.com,Cup,1000000,999999999,0
      3,ann@example.com,Cup,1000,999999,0
      3,ann@example.com,Pot,1000,999999,0
      4,ann@example.com,Pot,2,6,0`.replace(/^ +/gm, ''),
  );
  expect(done).toMatchObject({ status: 'done', created: 2, refused: 2 });
  expect(await reasons(done.id)).toEqual([
    [3, 'the item costs too much'],
    [4, 'the order costs too much'],
  ]);
});

test('words that objects have by themselves are no consent and no status', async () => {
  const people = 'email,consent\nann@example.com,constructor\nbob@example.com,yes\n';
  const done = await imports.import('csv-customers', people);
  expect(done).toMatchObject({ status: 'done', created: 1, refused: 1 });
  expect((await reasons(done.id))[0]![1]).toContain('«constructor» is no consent');
  const orders = 'Order Number,Order Status,Billing Email Address,Item Name\n1,constructor,ann@example.com,Cup\n';
  const id = await imports.upload('woocommerce-orders', orders);
  const options = { mapping: ['number', 'status', 'email', 'item_name'] };
  expect(await imports.check(id, options)).toMatchObject({ status: 'checked', refused: 1 });
});

test('a record that the database refuses is refused alone', async () => {
  const name = `no_faulty_${shop.company_id}`;
  await server.rows(`alter table customers add constraint ${name} check (first_name <> 'Faulty') not valid`);
  const rows = Array.from({ length: 300 }, (_, i) => `p${i}@example.com,${i === 7 ? 'Faulty' : `P${i}`},yes`);
  const id = await imports.upload('csv-customers', `email,first name,consent\n${rows.join('\n')}\n`);
  expect(await imports.check(id)).toMatchObject({ status: 'checked', created: 300 });
  const done = await imports.run(id);
  await server.rows(`alter table customers drop constraint ${name}`);
  expect(done).toMatchObject({ status: 'done', created: 299, refused: 1 });
  expect(await reasons(id)).toEqual([[9, 'the record has a value that cannot be stored']]);
  expect(await imports.undo(id)).toMatchObject({ status: 'undone', kept: 0 });
});
