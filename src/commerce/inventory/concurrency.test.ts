import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { type TestResponse, testServer } from '../../testing/harness.ts';
import { random, rounds } from '../../testing/random/seed.ts';
import { shopWithLocations } from './testing-shop.ts';

const server = testServer({ impatient: true });
const BUYERS = 64;
/** Actions of each buyer. */
const ROUNDS = rounds(4, 40);

test('64 buyers, transfers, adjustments, reservations and cancellations leave every stock as its movements say', {
  timeout: 60_000 + ROUNDS * 30_000,
}, async () => {
  const at = await shopWithLocations(server);
  await at.shop.commerce('PATCH', `/locations/${at.quarantine}`, { online: true });
  const outlet: number = (await at.make('/locations', { name: 'Outlet', online: false })).id;
  const places = [at.main, at.store, at.quarantine, outlet];
  const products: number[] = [];
  for (let i = 0; i < 6; i++) products.push(await at.product({ main: 40, store: 30, quarantine: 20 }));
  const total = async (): Promise<number> => {
    const [row] = await server.rows<{ n: number }>(
      'select sum(delta)::int as n from stock_movements where company_id = $1',
      [at.shop.company_id],
    );
    return row!.n;
  };

  const expected = [200, 201, 422];
  /** Repeats what a busy machine refuses, as clients do. */
  async function patient(ask: () => Promise<TestResponse>): Promise<TestResponse> {
    for (;;) {
      const response = await ask();
      if (expected.includes(response.status)) return response;
      expect(response.headers.get('retry-after')).not.toBe(null);
      await pause(250);
    }
  }
  const post = (path: string, body: object = {}) => patient(() => at.shop.commerce('POST', path, body));

  const actions: ((pick: (n: number) => number) => Promise<unknown>)[] = [
    async (pick) => {
      const [a, b] = [products[pick(6)]!, products[pick(6)]!];
      const more = pick(4) === 0 ? { location_id: places[pick(4)] } : {};
      const placed = await patient(() =>
        at.order(
          [
            [a, 1 + pick(8)],
            [b, 1 + pick(8)],
          ],
          more,
        ),
      );
      if (placed.status !== 201 || pick(2) === 0) return;
      const status = { status: 'cancelled' };
      await patient(() => at.shop.commerce('PATCH', `/orders/${placed.body.data.id}/status`, status));
    },
    async (pick) => {
      const from = pick(4);
      const lines = [{ product_id: products[pick(6)], qty: 1 + pick(9) }];
      const between = { from_location_id: places[from], to_location_id: places[(from + 1 + pick(3)) % 4] };
      const drafted = await post('/inventory/transfers', { ...between, lines });
      // Another buyer has closed the location.
      if (drafted.status !== 201) return;
      const { id } = drafted.body.data;
      if ((await post(`/inventory/transfers/${id}/send`)).status !== 200) return;
      const some = { lines: [{ ...lines[0]!, qty: 1 }], complete: pick(3) === 0 };
      await post(`/inventory/transfers/${id}/receive`, some);
      await post(`/inventory/transfers/${id}/${pick(2) === 0 ? 'cancel' : 'receive'}`, { complete: true });
    },
    async (pick) => {
      const lines = [pick(6), pick(6)].map((one) => ({
        product_id: products[one],
        location_id: places[pick(4)],
        delta: pick(9) - 4,
      }));
      await post('/inventory/adjustments', { lines });
    },
    async (pick) => {
      let cart = 0;
      const paid = await patient(async () => {
        const response = await at.pay([[products[pick(6)]!, 1 + pick(5)]]);
        cart = response.cart;
        return response;
      });
      if (paid.status !== 200) return;
      const end = pick(4);
      if (end > 0) await patient(() => at.shop.commerce('POST', `/carts/${cart}/${end === 1 ? 'place' : 'reopen'}`));
    },
    async (pick) => {
      const patch = { stock_qty: 60 + pick(60) };
      await patient(() => at.shop.commerce('PATCH', `/products/${products[pick(6)]}`, patch));
    },
    async (pick) => {
      await patient(() => at.shop.commerce('PATCH', `/locations/${outlet}`, { active: pick(2) === 0 }));
    },
  ];

  await Promise.all(
    Array.from({ length: BUYERS }, async (_, buyer) => {
      const pick = random(buyer);
      // Buyers mostly order.
      for (let round = 0; round < ROUNDS; round++) await actions[Math.max(0, pick(10) - 4)]!(pick);
    }),
  );
  expect(await total()).toBeGreaterThan(0);
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});
