import pino from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../../db/pool.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { recordStatements } from '../../testing/statements.ts';
import { UNFINISHED } from '../../work/slices.ts';
import { loadBestSellers, loadBoughtTogether } from '../message-data/service.ts';
import { MOST_BESIDE } from './count-queries.ts';
import { bruteForce, CATEGORIES, dice, type MadeShop, makeOrders, makeProducts } from './testing-orders.ts';
import { createRecommendations } from './worker.ts';

const server = testServer();
const HOUR_MS = 3_600_000;
const CUSTOMERS = Array.from({ length: 60 }, (_, i) => i + 1);
const roll = dice(20_261_123);

interface Made extends MadeShop {
  company: TestCompany;
}
let shops: Made[];

/** The failures are expected to be logged. */
const log = pino({ level: 'silent' });

/** Runs all passes that are due; `makeDb` may break some transactions. */
async function count(makeDb: () => Db = () => server.app.db.chores): Promise<void> {
  const { clock } = server.app;
  let run = createRecommendations({ db: makeDb(), clock, log });
  for (let quiet = 0; quiet < 10; ) {
    quiet = (await run()) === UNFINISHED ? 0 : quiet + 1;
    // Simulates a new process, which knows nothing of the previous one.
    run = createRecommendations({ db: makeDb(), clock, log });
  }
}

beforeAll(async () => {
  shops = [];
  for (const products of [60, 40]) {
    const company = await server.company();
    shops.push({ company, orders: [], products: await makeProducts(server, company, { count: products, roll }) });
  }
  // The orders of the two shops are interleaved.
  for (let i = 0; i < 4; i++) {
    for (const { company, products, orders } of shops) {
      orders.push(...(await makeOrders(server, company, { products, count: 500, roll })));
    }
  }
});

async function expectBruteForce({ company, ...made }: Made): Promise<void> {
  const { company_id: id } = company;
  const db = server.app.db.points(id);
  const expected = bruteForce(made, server.clock.now(), MOST_BESIDE);
  const idsOf = (products: { id: string }[] | undefined) => (products ?? []).map((one) => Number(one.id));
  const best = await loadBestSellers(db, id, ['', ...CATEGORIES, 'other']);
  expect(idsOf(best.get(''))).toEqual(expected.best.slice(0, 12));
  for (const slug of CATEGORIES) expect(idsOf(best.get(slug))).toEqual(expected.ofCategory(slug).slice(0, 12));
  expect(best.has('other')).toBe(false);
  const together = await loadBoughtTogether(db, id, CUSTOMERS);
  for (const customer of CUSTOMERS) {
    expect(idsOf(together.get(customer)), `customer ${customer}`).toEqual(expected.besideLast(customer).slice(0, 12));
  }
  expect(together.size).toBeGreaterThan(40);
}

describe('recommendations', () => {
  test('are calculated from all orders of the last 90 days, separately for each company', async () => {
    await count();
    for (const made of shops) await expectBruteForce(made);
  });

  test('follow cancellations, new orders, stock and the passing of time at the next pass', async () => {
    for (const made of shops) {
      const { company, orders, products } = made;
      for (const order of orders) if (roll(6) === 0) order.status = 'cancelled';
      const cancelled = orders.filter(({ status }) => status === 'cancelled').map(({ id }) => id);
      await server.rows(
        "update orders set status = 'cancelled' where company_id = $1 and id = any($2::bigint[]) and status <> 'cancelled'",
        [company.company_id, cancelled],
      );
      for (const product of products) product.sold = roll(5) !== 0;
      await server.rows(
        'update products set in_stock = id = any($2::bigint[]), archived_at = null where company_id = $1',
        [company.company_id, products.filter(({ sold }) => sold).map(({ id }) => id)],
      );
      orders.push(...(await makeOrders(server, company, { products, count: 200, roll })));
    }
    server.clock.advance(40 * 24 * HOUR_MS);
    await count();
    for (const made of shops) await expectBruteForce(made);
  });

  test('are right after workers that died at any moment, and beside other workers', async () => {
    for (const made of shops) {
      made.orders.push(...(await makeOrders(server, made.company, { products: made.products, count: 300, roll })));
    }
    server.clock.advance(24 * HOUR_MS);
    let died = 0;
    const breaking = (): Db => {
      const { chores } = server.app.db;
      // Failing before the commit rolls the transaction back; after it, the worker does not learn of the commit.
      const tenantTx: Db['tenantTx'] = async (companyId, work, kind) => {
        const dies = roll(3);
        const result = await chores.tenantTx(
          companyId,
          async (tx) => {
            const done = await work(tx);
            if (dies === 0 && died++ < 100) throw new Error('died');
            return done;
          },
          kind,
        );
        if (dies === 1 && died++ < 100) throw new Error('died');
        return result;
      };
      return new Proxy(chores, { get: (db, name) => (name === 'tenantTx' ? tenantTx : Reflect.get(db, name)) });
    };
    await Promise.all([count(breaking), count(breaking)]);
    expect(died).toBeGreaterThan(10);
    await count();
    for (const made of shops) await expectBruteForce(made);
  });

  test('omit products archived or sold out since the pass, and forget products no longer sold', async () => {
    const [made] = shops as [Made];
    const { company_id: id } = made.company;
    const db = server.app.db.points(id);
    const [first, second, third] = (await loadBestSellers(db, id, [''])).get('')!.map((one) => Number(one.id));
    await server.rows('update products set in_stock = false where company_id = $1 and id = $2', [id, first]);
    await server.rows('update products set archived_at = now() where company_id = $1 and id = $2', [id, second]);
    const shown = (await loadBestSellers(db, id, [''])).get('')!;
    expect(shown[0]).toMatchObject({ id: String(third), price: 12.5, formatted_price: '12.50 USD', url: null });
    expect(shown).toHaveLength(12);

    server.clock.advance(200 * 24 * HOUR_MS);
    await count();
    for (const table of ['product_sales', 'best_sellers', 'products_together']) {
      expect(await server.rows(`select company_id from ${table}`), table).toEqual([]);
    }
  });

  test('take no turn before they are due, and again after an hour', async () => {
    const busy = async () => {
      const sent = await recordStatements(() => count());
      return sent.filter(({ text }) => text.includes('product_sales')).length;
    };
    expect(await busy()).toBe(0);
    server.clock.advance(HOUR_MS);
    expect(await busy()).toBeGreaterThan(0);
    expect(await busy()).toBe(0);
    // As after a clock that was wrong has been corrected.
    await server.rows("update recommendation_passes set next_at = next_at + interval '1 year'");
    expect(await busy()).toBeGreaterThan(0);
  });
});
