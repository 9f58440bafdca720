import { afterAll, beforeAll, expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { random, rounds, SEED } from '../../testing/random/seed.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { releaseOverdueCarts } from '../carts/release.ts';
import { startMollieDouble } from './testing/mollie/double.ts';
import { act, paymentsOf, type World } from './testing/random/acts.ts';
import { comeToRest, findProblems } from './testing/random/rest.ts';
import { openRandomShop, type RandomShop } from './testing/random/shop.ts';
import { startStripeDouble } from './testing/stripe/double.ts';

/**
 * Buyers, staff, both services and the clock act at random and at the same time, while calls and webhooks get lost and connections to the
 * database break. In the end, nothing is left over: the books of the services equal ours to the cent, and all invariants hold.
 */
const clock = createTestClock();
const CHANCES = {
  time_out_before: 0.03,
  time_out_after: 0.03,
  error_500: 0.02,
  conflict_409: 0.02,
  lost: 0.2,
  delayed: 0.2,
};
const stripe = await startStripeDouble({ clock, chances: CHANCES });
const mollie = await startMollieDouble({ clock, chances: CHANCES });
const server = testServer({ clock, config: { paymentUrls: { stripe: stripe.url, mollie: mollie.url } } });

const STEPS = 60;
const AT_ONCE = 5;

let shop: RandomShop;

/** Rows of a statement of the test's own, whose connection may be among those that break. */
async function rows<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  for (let tries = 0; ; tries++) {
    try {
      return await server.rows<Row>(text, values);
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
}

async function work(): Promise<void> {
  const { db, log } = server.app;
  await releaseOverdueCarts({ db, clock, log })(null).catch(() => {});
  for (const name of ['renewals', 'payments']) {
    await server.app.workers
      .find((worker) => worker.name === name)!
      .runOnce()
      .catch(() => {});
  }
}

const world: World = {
  stripe,
  mollie,
  rows,
  work,
  pass: async (ms) => {
    clock.advance(ms);
    await work();
  },
  disturb: () =>
    server.rows(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'",
    ),
};

beforeAll(async () => {
  shop = await openRandomShop(server, world);
});
afterAll(async () => {
  await Promise.all([stripe.close(), mollie.close()]);
});

test('books of services and shop agree after any history', { timeout: 600_000 }, async () => {
  for (let round = 0; round < rounds(3, 40); round++) {
    const draw = random(1_000 + round);
    stripe.faults.begin(SEED + 2 * round);
    mollie.faults.begin(SEED + 2 * round + 1);
    const begun = clock.now();
    for (let step = 0; step < STEPS; step++) {
      // What happens at a service to a payment of half a year ago, and is told by no webhook, is not found out.
      const all = await paymentsOf(world, shop, begun);
      await Promise.all(Array.from({ length: AT_ONCE }, () => act(world, shop, all, draw)));
    }
    await comeToRest(world, [shop]);
    expect(await findProblems(world, server.app.db)).toEqual([]);
  }
});
