import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { settle } from '../erasure/markers.ts';
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
/** After every test, all invariants hold. */
afterEach(async () => {
  expect((await checkInvariants(server.app.db)).filter(({ ok }) => !ok)).toEqual([]);
});

const COLUMNS = 'order number,email,total,item name,item price,paid,refunded';
const csv = (...rows: string[]) => [COLUMNS, ...rows].join('\n');
const plain = (refunded: string, paid = '26.00') => csv(`A1,a@example.com,26.00,Mug,26.00,${paid},${refunded}`);

const orders = async (): Promise<Record<string, TestBody>> =>
  Object.fromEntries(
    (await shop.commerce('GET', '/orders?per_page=100')).body.data.map((one: TestBody) => [one.external_id, one]),
  );
/** payment_status, paid, refunded and balance, by the number of the order. */
const money = async () =>
  Object.fromEntries(
    Object.entries(await orders()).map(([number, { payment_status, paid, refunded, balance }]) => [
      number,
      [payment_status, paid, refunded, balance],
    ]),
  );
const NONE = ['none', 0, 0, null];
const ledger = async (id: number) =>
  (await shop.commerce('GET', `/orders/${id}/ledger`)).body.data.entries.map(
    ({ kind, amount, received_on, reference }: TestBody) => [kind, amount, received_on, reference],
  );
const amounts = async (id: number) => (await ledger(id)).map(([kind, amount]: unknown[]) => [kind, amount]);
const reasons = async (id: number, phase: 'run' | 'undo' = 'run') =>
  (await imports.findings(id, phase)).map(({ row, field, reason }) => [row, field, reason]);
const count = async (table: string) =>
  (
    await server.rows<{ n: number }>(`select count(*)::int as n from ${table} where company_id = $1`, [shop.company_id])
  )[0]!.n;
/** Nothing was announced, asked of a service, or taken from the stock. */
const isQuiet = async () => {
  const moved = await server.rows('select 1 from stock_movements where company_id = $1 and delta <> 0', [
    shop.company_id,
  ]);
  expect([await count('outbox'), await count('payment_operations'), moved]).toEqual([0, 0, []]);
};
const methodId = async (): Promise<number> =>
  (await shop.commerce('GET', '/payment-methods')).body.data.find(({ kind }: TestBody) => kind === 'imported').id;

describe('what a file says was paid and refunded is in the ledger', () => {
  test('of Shopify', async () => {
    const header =
      'Name,Email,Financial Status,Paid at,Fulfillment Status,Currency,Shipping,Taxes,Total,Lineitem quantity,Lineitem name,Lineitem price,Refunded Amount,Outstanding Balance,Payment Method,Payment Reference,Created at,Cancelled at';
    const row = (number: string, status: string, refunded = '0.00', outstanding = '0.00', cancelledAt = '') =>
      `${number},a@example.com,${status},2025-03-02 23:30:00 -0500,fulfilled,USD,5.00,1.00,26.00,2,Mug,10.00,${refunded},${outstanding},Shopify Payments,r1.1,2025-03-01 10:00:00 +0000,${cancelledAt}`;
    const file = [
      header,
      row('#1', 'paid'),
      row('#2', 'partially_refunded', '10.00'),
      row('#3', 'refunded', '26.00'),
      row('#4', 'refunded', '0.00'),
      row('#5', 'partially_paid', '0.00', '20.00'),
      row('#6', 'pending', '0.00', '26.00'),
      row('#7', 'authorized', '0.00', '26.00'),
      row('#8', 'voided', '0.00', '0.00', '2025-03-03 10:00:00 +0000'),
      row('#9', 'paid', '0.00', '0.00', '2025-03-03 10:00:00 +0000'),
      row('#10', 'partially_paid', '5.00', '6.00'),
    ].join('\n');
    const done = await imports.import('shopify-orders', file);
    expect(done).toMatchObject({ created: 10, skipped: 0, refused: 0 });
    expect(await money()).toEqual({
      '#1': ['paid', 26, 0, 0],
      '#2': ['partially_refunded', 26, 10, 0],
      '#3': ['refunded', 26, 26, 0],
      '#4': ['refunded', 26, 26, 0],
      '#5': ['partially_paid', 6, 0, 20],
      '#6': NONE,
      '#7': NONE,
      '#8': NONE,
      // What was received for a cancelled order is owed to the buyer.
      '#9': ['paid', 26, 0, -26],
      // Of 26.00 less 5.00 that were refunded, 20.00 less 5.00 are paid.
      '#10': ['partially_refunded', 20, 5, 6],
    });
    const { '#2': partly, '#3': whole } = await orders();
    expect(partly).toMatchObject({ status: 'delivered', total: 16 });
    expect(await ledger(partly!.id)).toEqual([
      ['order', 16, null, null],
      ['manual', 26, '2025-03-03', 'Shopify Payments r1.1'],
      ['refund', -10, null, null],
    ]);
    expect(await ledger(whole!.id)).toEqual([
      ['order', 26, null, null],
      ['cancel', -26, null, null],
      ['manual', 26, '2025-03-03', 'Shopify Payments r1.1'],
      ['refund', -26, null, null],
    ]);
    expect((await shop.commerce('GET', `/orders/${partly!.id}/payments`)).body.data).toMatchObject([
      { provider: 'manual', status: 'partially_refunded', label: 'Imported', amount: 26, captured: 26, refunded: 10 },
    ]);
    await isQuiet();
    expect(await imports.import('shopify-orders', file)).toMatchObject({ created: 0, updated: 0, unchanged: 10 });
  });

  test('by a method that is named in the language of the shop', async () => {
    await server.rows("update companies set country = 'DE' where company_id = $1", [shop.company_id]);
    await imports.import('csv-orders', plain('10.00'));
    const { A1: order } = await orders();
    expect((await shop.commerce('GET', `/orders/${order!.id}/payments`)).body.data).toMatchObject([
      { label: 'Importiert' },
    ]);
  });

  test('of WooCommerce: by status, date of payment and refunds; what is paid on delivery is not paid before', async () => {
    const header =
      'order_number,status,paid_date,payment_method,order_total,refunded_total,refunds,billing_email,item_name,item_quantity,item_subtotal';
    const row = (number: string, fields: string) => `${number},${fields},w@example.com,Mug,2,20.00`;
    const file = [
      header,
      row('1', 'completed,,stripe,20.00,-5.00,'),
      row('2', 'processing,,stripe,20.00,0,'),
      row('3', 'processing,,cod,20.00,0,'),
      row('4', 'on-hold,,bacs,20.00,0,'),
      row('5', 'refunded,,stripe,20.00,,'),
      row('6', 'cancelled,2025-03-01 10:00:00,stripe,20.00,20.00,'),
      row('7', 'completed,,cod,20.00,,id:9|date:2025-03-01|amount:2.50|reason:late;id:10|amount:-1.25|reason:'),
      row('8', 'failed,,stripe,20.00,,'),
      row('9', 'cancelled,,stripe,20.00,20.00,'),
    ].join('\n');
    const done = await imports.import('woocommerce-orders', file);
    expect(done).toMatchObject({ created: 9, skipped: 0, refused: 0 });
    expect(done.notices).toEqual([{ code: 'refunded', column: null, count: 5 }]);
    expect(await money()).toEqual({
      1: ['partially_refunded', 20, 5, 0],
      2: ['paid', 20, 0, 0],
      3: NONE,
      4: NONE,
      5: ['refunded', 20, 20, 0],
      6: ['refunded', 20, 20, 0],
      7: ['partially_refunded', 20, 3.75, 0],
      8: NONE,
      9: ['refunded', 20, 20, 0],
    });
  });

  test('of a plain file, with empty cells, words and German numbers', async () => {
    const file = [
      'Bestellnummer;email;Gesamtbetrag;item name;item price;Bezahlt;Erstattet',
      'B1;a@example.com;1.234,56;Mug;1.234,56;1.234,56;',
      'B2;a@example.com;1.234,56;Mug;1.234,56;;34,56',
      'B3;a@example.com;1.234,56;Mug;1.234,56;;',
      'B4;a@example.com;1.234,56;Mug;1.234,56;ja;0,00',
      'B5;a@example.com;1.234,56;Mug;1.234,56;nein;',
      'B6;a@example.com;1.234,56;Mug;1.234,56;1.000,00;',
    ].join('\n');
    expect(await imports.import('csv-orders', file)).toMatchObject({ created: 6, refused: 0, skipped: 0 });
    expect(await money()).toEqual({
      B1: ['paid', 1234.56, 0, 0],
      B2: ['partially_refunded', 1234.56, 34.56, 0],
      B3: NONE,
      B4: ['paid', 1234.56, 0, 0],
      B5: NONE,
      B6: ['partially_paid', 1000, 0, 234.56],
    });
  });

  test('unless it makes no sense', async () => {
    const file = [
      `${COLUMNS},payment status,currency`,
      'C1,a@example.com,26.00,Mug,26.00,20.00,20.01,,',
      'C2,a@example.com,26.00,Mug,26.00,-5.00,,,',
      'C3,a@example.com,26.00,Mug,26.00,26.00,,,EUR',
      'C4,a@example.com,26.00,Mug,26.00,26.00,a lot,,',
      'C5,a@example.com,26.00,Mug,26.00,,,partially_paid,',
      'C6,a@example.com,26.00,Mug,26.00,,,partially_refunded,',
      'C7,a@example.com,26.00,Mug,26.00,,,settled,',
      'C8,a@example.com,26.00,Mug,26.00,,5.00,unpaid,',
      'C9,a@example.com,0.00,Sample,0.00,,,paid,',
    ].join('\n');
    const done = await imports.import('csv-orders', file);
    expect(done).toMatchObject({ created: 6, refused: 3, skipped: 0 });
    const more = 'more was refunded than was paid: no payment is recorded';
    expect(await reasons(done.id)).toEqual([
      [2, null, more],
      [3, 'paid', 'what was paid is not negative'],
      [4, 'currency', "the order is in EUR, the company's currency is USD"],
      [5, 'refunded', '«a lot» is no amount'],
      [6, null, 'the file does not say how much was paid: no payment is recorded'],
      [7, null, 'the file does not say how much was refunded: no refund is recorded'],
      [8, null, '«settled» is no payment status: no payment is recorded'],
      [9, null, more],
    ]);
    expect(await money()).toEqual({
      C1: NONE,
      C5: NONE,
      C6: ['paid', 26, 0, 0],
      C7: NONE,
      C8: NONE,
      C9: NONE,
    });
  });
});

describe('a later file', () => {
  test('adds what was refunded since, and reports a smaller amount', async () => {
    await imports.import('csv-orders', plain('10.00'));
    const { A1: order } = await orders();
    expect(await imports.import('csv-orders', plain('15.00'))).toMatchObject({ updated: 1, unchanged: 0 });
    expect(await money()).toEqual({ A1: ['partially_refunded', 26, 15, 0] });
    const less = await imports.import('csv-orders', plain('12.00'));
    expect(less).toMatchObject({ updated: 0, skipped: 1 });
    expect(await reasons(less.id)).toEqual([
      [2, 'refunded', 'less was refunded than an earlier import says: the payments of the order are unchanged'],
    ]);
    expect(await imports.import('csv-orders', plain('15.00', '20.00'))).toMatchObject({ skipped: 1 });
    expect(await imports.import('csv-orders', plain('26.00'))).toMatchObject({ updated: 1 });
    expect(await imports.import('csv-orders', plain('26.00'))).toMatchObject({ unchanged: 1 });
    expect(await money()).toEqual({ A1: ['refunded', 26, 26, 0] });
    expect(await amounts(order!.id)).toEqual([
      ['order', 16],
      ['manual', 26],
      ['refund', -10],
      ['credit', -5],
      ['refund', -5],
      ['credit', -11],
      ['refund', -11],
    ]);
    await isQuiet();
  });

  test('adds what was paid since, but not to an order that was paid here', async () => {
    await imports.import('csv-orders', csv('A1,a@example.com,26,Mug,26,,', 'A2,a@example.com,26,Mug,26,6,'));
    const { A1: first } = await orders();
    const cash = (await shop.commerce('POST', '/payment-methods', { kind: 'cash', name: 'Till' })).body.data.id;
    await shop.commerce('POST', `/orders/${first!.id}/payments`, { method_id: cash, amount: 26 });
    const paid = csv('A1,a@example.com,26,Mug,26,26,', 'A2,a@example.com,26,Mug,26,26,4');
    const done = await imports.import('csv-orders', paid);
    expect(done).toMatchObject({ updated: 1, skipped: 1 });
    expect(await reasons(done.id)).toEqual([
      [2, 'paid', 'the order has payments of its own: what the file says was paid is not recorded'],
    ]);
    expect(await money()).toEqual({ A1: ['paid', 26, 0, 0], A2: ['partially_refunded', 26, 4, 0] });
  });

  test('adds no more than is left of a payment that staff refunded here', async () => {
    await imports.import('csv-orders', plain(''));
    const { A1: order } = await orders();
    const refund = await shop.commerce('POST', `/orders/${order!.id}/refunds`, { amount: 20, reason: 'late' });
    expect(refund.body.data).toMatchObject({ amount: 20, to: 'manual', status: 'done' });
    const done = await imports.import('csv-orders', plain('10.00'));
    expect(await reasons(done.id)).toEqual([
      [2, 'refunded', 'more was refunded than is left of what was imported: the payments of the order are unchanged'],
    ]);
    expect(await imports.import('csv-orders', plain('6.00'))).toMatchObject({ updated: 1 });
    expect(await money()).toEqual({ A1: ['refunded', 26, 26, 0] });
  });

  test('leaves an order that another transaction has, and says so', async () => {
    await imports.import('csv-orders', plain(''));
    const other = new pg.Client(server.connection);
    await other.connect();
    await other.query('begin');
    await other.query('select from orders where company_id = $1 for update', [shop.company_id]);
    const id = await imports.upload('csv-orders', plain('10.00'));
    expect(await imports.check(id)).toMatchObject({ updated: 1 });
    expect(await imports.run(id)).toMatchObject({ updated: 0, skipped: 1 });
    expect(await reasons(id)).toEqual([
      [2, null, 'the order was being changed: import the file again to record its payments'],
    ]);
    await other.end();
    expect(await imports.import('csv-orders', plain('10.00'))).toMatchObject({ updated: 1 });
  });

  test('changes no order that was placed here', async () => {
    const customer = (await shop.commerce('POST', '/customers', { email: 'a@example.com' })).body.data.id;
    const product = (await shop.commerce('POST', '/products', { name: 'Mug', price: 26, stock_qty: 5 })).body.data.id;
    const address = { shipping_address: '1 Main', shipping_city: 'X', shipping_zip: '1' };
    const items = [{ product_id: product, qty: 1 }];
    await shop.commerce('POST', '/orders', { customer_id: customer, items, external_id: 'A1', ...address });
    expect(await imports.import('csv-orders', plain('10.00'))).toMatchObject({ unchanged: 1, skipped: 0 });
    expect(await money()).toEqual({ A1: NONE });
  });
});

describe('an undo', () => {
  test('removes the ledgers of the orders, except of those that got money since', async () => {
    const rows = ['A1', 'A2', 'A3', 'A4'].map((number) => `${number},a@example.com,26,Mug,26,6,2`);
    const done = await imports.import('csv-orders', csv(...rows));
    server.clock.advance(60_000);
    const { A1, A2 } = await orders();
    const cash = (await shop.commerce('POST', '/payment-methods', { kind: 'cash', name: 'Till' })).body.data.id;
    await shop.commerce('POST', `/orders/${A1!.id}/payments`, { method_id: cash, amount: 1 });
    await shop.commerce('POST', `/orders/${A2!.id}/refunds`, { amount: 1 });
    await imports.import('csv-orders', csv('A3,a@example.com,26,Mug,26,6,3'));
    await imports.undo(done.id);
    expect((await reasons(done.id, 'undo')).filter(([, , reason]) => reason.startsWith('order'))).toHaveLength(3);
    expect(await money()).toEqual({
      A1: ['partially_refunded', 7, 2, 19],
      A2: ['partially_refunded', 6, 3, 20],
      A3: ['partially_refunded', 6, 3, 20],
    });
    expect(await count('payments')).toBe(4);
  });

  test('takes back what was added to orders of earlier imports, unless their money has changed since', async () => {
    const rows = (refunded: string) => ['A1', 'A2'].map((number) => `${number},a@example.com,26,Mug,26,26,${refunded}`);
    const first = await imports.import('csv-orders', csv(...rows('4'), 'A3,a@example.com,26,Mug,26,,'));
    server.clock.advance(60_000);
    const before = await money();
    const second = await imports.import('csv-orders', csv(...rows('10'), 'A3,a@example.com,26,Mug,26,26,'));
    expect(second).toMatchObject({ updated: 3 });
    server.clock.advance(60_000);
    const { A2 } = await orders();
    await shop.commerce('POST', `/orders/${A2!.id}/refunds`, { amount: 1 });
    expect(await imports.undo(second.id)).toMatchObject({ undone: 2, kept: 1 });
    expect(await money()).toEqual({ ...before, A2: ['partially_refunded', 26, 11, 0] });
    await imports.undo(first.id);
    expect(Object.keys(await orders())).toEqual(['A2']);
    expect([await count('order_balances'), await count('payments')]).toEqual([1, 1]);
  });
});

test('the method of imported payments is not offered, chosen or changed', async () => {
  await imports.import('csv-orders', plain(''));
  await imports.import('csv-orders', csv('A2,a@example.com,26,Mug,26,,4'));
  const method = await methodId();
  expect((await shop.commerce('GET', `/payment-methods/${method}`)).body.data).toMatchObject({
    kind: 'imported',
    active: false,
    staff_only: true,
  });
  expect(await count('payment_methods')).toBe(1);
  const { A1: order } = await orders();
  const paid = await shop.commerce('POST', `/orders/${order!.id}/payments`, { method_id: method, amount: 1 });
  expect([paid.status, paid.body.error?.details.reason]).toEqual([422, 'payment_method_unavailable']);
  const changed = await shop.commerce('PATCH', `/payment-methods/${method}`, { active: true });
  expect([changed.status, changed.body.error?.details.fields]).toMatchObject([422, [{ field: 'kind' }]]);
  const made = await shop.commerce('POST', '/payment-methods', { kind: 'imported', name: 'Mine' });
  expect(made.status).toBe(422);
});

test('a person’s export has what was imported, and their erasure keeps it without a reference', async () => {
  const header = `${COLUMNS},payment method,transaction id`;
  await imports.import('csv-orders', `${header}\nA1,gone@example.com,26,Mug,26,26,6,Transfer,of Gone Person`);
  const [customer] = (await shop.commerce('GET', '/customers')).body.data;
  const exported = (await shop.commerce('GET', `/customers/${customer.id}/export`)).body.data;
  expect(exported.order_ledger).toMatchObject([
    { kind: 'order', amount: 2000 },
    { kind: 'manual', amount: 2600, reference: 'Transfer of Gone Person' },
    { kind: 'refund', amount: -600 },
  ]);
  await shop.commerce('DELETE', `/customers/${customer.id}`);
  await settle(server);
  for (const table of ['order_ledger', 'payments']) {
    const kept = await server.rows(`select 1 from ${table} t where company_id = $1 and t::text like '%Gone%'`, [
      shop.company_id,
    ]);
    expect(kept).toEqual([]);
  }
  const [order] = await server.rows<{ id: string }>('select id from orders where company_id = $1', [shop.company_id]);
  expect(await amounts(Number(order!.id))).toEqual([
    ['order', 20],
    ['manual', 26],
    ['refund', -6],
  ]);
  // A later file adds to the books of the order, and nothing about the person.
  await imports.import('csv-orders', `${header}\nA1,gone@example.com,26,Mug,26,26,7,Transfer,of Gone Person`);
  const added = (await ledger(Number(order!.id))).slice(3);
  expect(added).toEqual([
    ['credit', -1, null, null],
    ['refund', -1, null, null],
  ]);
});
