import type pg from 'pg';
import { expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { recordStatements } from '../../testing/statements.ts';
import { sql } from '../sql.ts';
import { PlainTurn } from './plain.ts';

/** What relies most on statements that are sent together, with DATABASE_WIRE=plain. pool.test.ts compares the wires below it. */
const server = testServer({ config: { databaseWire: 'plain' } });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Springfield', shipping_zip: '12345' };

test('orders placed at once share the stock, and repeat by their Idempotency-Key', async () => {
  const shop = await server.company();
  const product = { name: 'Tea', price: 4, stock_qty: 10 };
  const product_id = (await shop.commerce('POST', '/products', product)).body.data.id;
  const customer_id = (await shop.commerce('POST', '/customers', { email: 'ada@example.com' })).body.data.id;
  const place = async (n: number): Promise<Awaited<ReturnType<typeof shop.commerce>>> => {
    const order = { customer_id, items: [{ product_id, qty: 1 }], ...ADDRESS };
    const response = await shop.commerce('POST', '/orders', order, { 'idempotency-key': `order ${n}` });
    // On a busy machine an order may have to be sent again.
    return response.body.error?.details?.reason === 'overloaded' ? place(n) : response;
  };
  const responses = await Promise.all(Array.from({ length: 15 }, (_, n) => place(n)));
  const placed = responses.filter(({ status }) => status === 201);
  expect(placed).toHaveLength(10);
  for (const { status, body } of responses) {
    if (status !== 201) expect(body.error?.details?.reason).toBe('insufficient_stock');
  }
  const again = await place(responses.indexOf(placed[0]!));
  expect(again.body.data!.id).toBe(placed[0]!.body.data!.id);
  expect((await shop.commerce('GET', `/products/${product_id}`)).body.data!.stock_qty).toBe(0);
  expect((await shop.commerce('GET', '/orders?per_page=3')).body.meta.pagination).toMatchObject({ total: 10 });
});

test('contacts are merged and events stored', async () => {
  const shop = await server.company();
  await shop.marketing('POST', '/contacts', { email: 'ada@example.com' });
  await shop.marketing('POST', '/contacts', { external_id: 'ada', phone: '+15005550006' });
  const merged = await shop.marketing('POST', '/contacts', { external_id: 'ada', email: 'ada@example.com' });
  expect(merged.body).toMatchObject({ created: false, external_id: 'ada', phone: '+15005550006' });
  const event = {
    event_type: 'product_viewed',
    event_data: { email: 'ada@example.com', product_id: '7', product_name: 'Tea' },
  };
  expect((await shop.marketing('POST', '/events', event)).status).toBe(201);
});

test('no statement is pipelined', async () => {
  const shop = await server.company();
  const sent = await recordStatements(() => shop.commerce('GET', '/products'));
  expect(sent).toEqual([]);
});

test('statements behind a failed one of their turn are not sent, so that none runs outside of a transaction', async () => {
  const sent: string[] = [];
  const client = {
    query: async ({ text }: { text: string }) => {
      sent.push(text);
      if (text === 'begin') throw new Error('cancelled');
      return { rows: [], command: 'INSERT' };
    },
  } as unknown as pg.Client;
  const turn = new PlainTurn();
  const outcomes = Promise.allSettled([turn.add(sql`begin`), turn.add(sql`insert into orders default values`)]);
  turn.sendOn(client);
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(sent).toEqual(['begin']);
});
