import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkInvariants } from '../invariants.ts';
import { type TestBody, type TestCompany, testServer } from '../testing/harness.ts';
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

const reasons = async (id: number, phase?: 'check') =>
  (await imports.findings(id, phase)).map(({ row, reason }) => [row, reason]);

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
    [5, 'is a part of the record of row 4'],
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

describe('a record of several rows', () => {
  const HEADER = 'Name,Email,Currency,Total,Lineitem name,Lineitem quantity,Lineitem price';
  const orders = async () => (await shop.commerce('GET', '/orders')).body.data;
  const refusedRows = async (done: TestBody): Promise<string> => {
    const cells = (await imports.findings(done.id)).map((one) => one.cells as string[]);
    return `${[HEADER, ...cells.map((row) => row.map((cell) => `"${cell}"`).join(','))].join('\n')}\n`;
  };

  test('is rejected with all of its rows, so that the corrected file is complete', async () => {
    const rows = [
      '#1,a@example.com,EUR,13.00,Mug,1,3.00',
      '#1,a@example.com,,,Cup,2,5.00',
      '#2,b@example.com,USD,3.00,Mug,1,3.00',
    ];
    const done = await imports.import('shopify-orders', `${[HEADER, ...rows].join('\n')}\n`, {
      email_consent: 'never',
    });
    expect(done).toMatchObject({ total: 3, created: 1, refused: 1 });
    expect(await imports.findings(done.id)).toMatchObject([
      { row: 2, field: 'currency' },
      { row: 3, field: null, reason: 'is a part of the record of row 2' },
    ]);
    const corrected = (await refusedRows(done)).replace('EUR', 'USD');
    const again = await imports.import('shopify-orders', corrected, { email_consent: 'never' });
    expect(again).toMatchObject({ created: 1, refused: 0 });
    expect((await orders())[0]).toMatchObject({ external_id: '#1', subtotal: 13, shipping: 0, total: 13 });
  });

  test('that repeats another is refused with all of them', async () => {
    const first = ['#1,a@example.com,USD,13.00,Mug,1,3.00', '#1,a@example.com,,,Cup,2,5.00'];
    const rows = [...first, '#2,b@example.com,USD,3.00,Mug,1,3.00', ...first];
    const done = await imports.import('shopify-orders', `${[HEADER, ...rows].join('\n')}\n`, {
      email_consent: 'never',
    });
    expect(done).toMatchObject({ created: 2, refused: 1 });
    expect((await imports.findings(done.id)).map(({ row, reason }) => [row, reason])).toEqual([
      [5, 'repeats row 2'],
      [6, 'is a part of the record of row 5'],
    ]);
  });

  test('is refused beside a row that cannot be read: it may be a part of it', async () => {
    const rows = [
      ...[
        '#1,a@example.com,USD,3.00,Mug,1,3.00',
        '#2,b@example.com,USD,8.00,Mug,1,3.00',
        '#2,b@example.com,,,5" pot,1,5.00',
      ],
      ...[
        '#3,c@example.com,USD,8.00,5" pot,1,5.00',
        '#3,c@example.com,,,Mug,1,3.00',
        '#4,d@example.com,USD,3.00,Mug,1,3.00',
      ],
    ];
    const done = await imports.import('shopify-orders', `${[HEADER, ...rows].join('\n')}\n`, {
      email_consent: 'never',
    });
    expect((await orders()).map((one: TestBody) => one.external_id)).toEqual(['#4', '#1']);
    expect(done).toMatchObject({ created: 2, refused: 4 });
    const reasons = (await imports.findings(done.id)).map(({ row, reason }) => [row, reason]);
    expect(reasons).toEqual([
      [3, 'the adjacent row 4 cannot be read and may belong to it'],
      [4, 'The quotes of this row are wrong'],
      [5, 'The quotes of this row are wrong'],
      [6, 'the adjacent row 5 cannot be read and may belong to it'],
    ]);
  });
});

test('a quote that is not closed costs its own row, and no row behind it disappears', async () => {
  const people = (broken: string): string =>
    `email,first name,consent\na@example.com,${broken},yes\nb@example.com,B,yes\nc@example.com,"C",yes\nd@example.com,D,yes\n`;
  for (const broken of ['"A', '"A "a"']) {
    const id = await imports.upload('csv-contacts', people(broken));
    expect(await imports.check(id)).toMatchObject({ status: 'checked', created: 3, refused: 1 });
    expect(await reasons(id, 'check')).toEqual([[2, 'The quotes of this row are wrong']]);
  }
  // The quotes of two rows make one cell of all between them, which no rule of quotes forbids.
  const id = await imports.upload('csv-contacts', people('"A').replace('B,yes', 'B",yes'));
  expect(await imports.check(id)).toMatchObject({ status: 'checked', created: 2, refused: 1 });
  expect(await reasons(id, 'check')).toEqual([
    [2, '«A,yes\nb@example.com,B» has several lines: perhaps a quote before them is not closed'],
  ]);
});

test('a fault is that of its own row, in a record of several rows', async () => {
  const orders = await imports.upload(
    'csv-orders',
    `number,email,date,item name,quantity,price
      1,ann@example.com,2026-01-05,Cup,1,5
      1,,,Pot,0,5
      1,,,Pan,1,5
      2,ann@example.com,2999-01-05,Cup,1,5`.replace(/^ +/gm, ''),
  );
  expect(await imports.check(orders)).toMatchObject({ status: 'checked', created: 0, refused: 2 });
  expect(await reasons(orders, 'check')).toEqual([
    [2, 'is a part of the record of row 3'],
    [3, '«0» items: at least one is bought'],
    [4, 'is a part of the record of row 3'],
    [5, '«2999-01-05» is in the future'],
  ]);
  const products = await imports.upload(
    'shopify-products',
    `Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price
      cup,Cup,Size,S,C-S,19.90
      cup,,,M,C-M,20.90
      cup,,,L,C-L,much`.replace(/^ +/gm, ''),
  );
  await imports.check(products);
  expect(await reasons(products, 'check')).toEqual([
    [2, 'is a part of the record of row 4'],
    [3, 'is a part of the record of row 4'],
    [4, '«much» is no amount'],
  ]);
});

test('a row whose cells do not fit the columns is refused, and can be downloaded', async () => {
  const id = await imports.upload('csv-contacts', 'email,first name,consent\na@example.com,Smith, John,yes\n');
  expect(await imports.check(id)).toMatchObject({ status: 'checked', created: 0, refused: 1 });
  expect(await imports.findings(id, 'check')).toMatchObject([
    {
      row: 2,
      reason: 'The row has 4 cells, and the file 3 columns',
      cells: ['a@example.com', 'Smith', ' John', 'yes'],
    },
  ]);
});
