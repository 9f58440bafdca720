import { beforeAll, expect, test } from 'vitest';
import { isUnavailable } from '../../db/unavailable.ts';
import { checkInvariants } from '../../invariants.ts';
import { breaking } from '../../testing/breaking.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { inventoryInvariants } from '../inventory/invariants.ts';
import { cartInvariants } from './invariants.ts';
import { releaseOverdueCarts } from './release.ts';

const server = testServer();
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
/** No operation takes as many round trips. */
const MOST_TURNS = 20;
let shop: TestCompany;
let product: number;
let customer: number;
let transfer: number;

const made = async (path: string, body: object) => (await shop.commerce('POST', path, body)).body.data;
const act = (id: number, action: string, body?: object) => shop.commerce('POST', `/carts/${id}/${action}`, body);
const pay = (id: number) => act(id, 'pay', { method_id: transfer });

beforeAll(async () => {
  shop = await server.company();
  await shop.commerce('PATCH', '/loyalty/settings', { enabled: true, points_per_dollar: 1, min_redeem_points: 1 });
  product = (await made('/products', { name: 'Tea', price: 10, stock_qty: 10_000 })).id;
  customer = (await made('/customers', { email: 'ann@example.com' })).id;
  await made(`/customers/${customer}/loyalty/adjust`, { points: 10_000 });
  transfer = (await made('/payment-methods', { kind: 'bank_transfer', name: 'Transfer' })).id;
  await made('/promo-codes', { code: 'TEN', type: 'percent', value: 10, scope: 'order' });
});

async function ready(buyer: object): Promise<number> {
  const lines = [{ product_id: product, qty: 2 }];
  return (await made('/carts', { lines, promo_code: 'TEN', ...buyer, ...ADDRESS })).id;
}

async function payUntilNow(id: number): Promise<void> {
  await pay(id);
  await server.rows('update reservations set reserved_until = $1 where company_id = $2 and cart_id = $3', [
    server.clock.now(),
    shop.company_id,
    id,
  ]);
}

/** As the program does every few seconds, whether the last time failed or not. */
async function timeOut(id: number) {
  const release = releaseOverdueCarts({ db: server.app.db, clock: server.clock, log: server.app.log });
  await release(null).catch((error: unknown) => {
    if (!isUnavailable(error)) throw error;
  });
  return shop.commerce('GET', `/carts/${id}`);
}

const OPERATIONS = {
  pay: { before: async (_id: number) => {}, run: pay, status: 'paying' },
  reopen: { before: pay, run: (id: number) => act(id, 'reopen'), status: 'open' },
  'the end of its time': { before: payUntilNow, run: timeOut, status: 'open' },
  'place from a reservation': { before: pay, run: (id: number) => act(id, 'place'), status: 'placed' },
  place: { before: async (_id: number) => {}, run: (id: number) => act(id, 'place'), status: 'placed' },
} as const;

test.each(Object.entries(OPERATIONS))(
  'a connection that breaks at any round trip of %s leaves all or nothing, and a repetition finishes it',
  { timeout: 120_000 },
  async (_name, { before, run, status }) => {
    let turns = 0;
    for (let n = 1; n <= MOST_TURNS; n++) {
      let reached = false;
      for (const sent of [false, true]) {
        for (const buyer of [
          { customer_id: customer, redeem_points: 5 },
          { email: `guest-${n}-${sent}@example.com` },
        ]) {
          const id = await ready(buyer);
          await before(id);
          reached = (await breaking(n, sent, () => run(id))) || reached;
          const kept = [...cartInvariants, ...inventoryInvariants];
          expect((await checkInvariants(server.app.db, kept)).filter((finding) => !finding.ok)).toEqual([]);
          expect((await run(id)).status).toBe(200);
          expect((await shop.commerce('GET', `/carts/${id}`)).body.data.status).toBe(status);
          if (status === 'paying') await act(id, 'reopen');
        }
      }
      if (!reached) break;
      turns = n;
    }
    expect(turns).toBeGreaterThan(2);
    expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
  },
);
