import pg from 'pg';
import { commerceRequest } from '../load/http-request.ts';
import type { Target } from '../server/target.ts';
import type { Scenario } from './scenario.ts';

/** More than a run of the usual eight seconds uses; each cart is used once. */
const CARTS = 60_000;
/** Of the only bank transfer. This process and the one that sends the requests have nothing in common but constants. */
const METHOD = 1_000_000;

/** First ids of carts: of those that the program gets, and of those that pgbench gets. */
const OPEN = { ours: 100_000_000, limit: 200_000_000 };
const RESERVED = { ours: 300_000_000, limit: 400_000_000 };

/** Creates carts, which with `reserved` are being paid by bank transfer. */
async function fillCarts({ database, shop }: Target, first: typeof OPEN, { reserved }: { reserved: boolean }) {
  const client = new pg.Client(database);
  await client.connect();
  await client.query(
    `insert into payment_methods (company_id, id, provider, kind, name, position, active, staff_only, places, reserve_minutes,
       capture, created_at, updated_at)
     overriding system value
     values ($1, $2, 'manual', 'bank_transfer', 'Transfer', 0, true, false, 'when_paid', 10080, 'at_once', now(), now())
     on conflict do nothing`,
    [shop.companyId, METHOD],
  );
  await client.query('create sequence if not exists bench_carts');
  for (const id of [first.ours, first.limit]) {
    const method = reserved ? METHOD : null;
    await client.query('select bench_fill_carts($1, $2, $3, $4, $5, $6)', [
      shop.companyId,
      id,
      CARTS,
      shop.firstProduct,
      shop.firstCustomer,
      method,
    ]);
  }
  // The scripts of the limit take one cart after the other.
  await client.query(`select setval('bench_carts', 1)`);
  await client.end();
}

export const reserve: Scenario = {
  name: 'reserve',
  title: 'a cart of 3 lines paid by bank transfer: its reservation',
  prepare: (target) => fillCarts(target, OPEN, { reserved: false }),
  requests: (target) => (n) =>
    commerceRequest(target, target.shop, 'POST', `/carts/${OPEN.ours + n}/pay`, JSON.stringify({ method_id: METHOD })),
  status: 200,
  limit: {
    title: 'one SQL function doing the whole reservation',
    script: ({ shop }) =>
      `select bench_reserve(${shop.companyId}, ${OPEN.limit} + nextval('bench_carts') - 1, ${METHOD});`,
  },
  goal: 1.2,
};

export const placeReserved: Scenario = {
  name: 'place-reserved',
  title: 'the order of a reserved cart of 3 lines',
  prepare: (target) => fillCarts(target, RESERVED, { reserved: true }),
  requests: (target) => (n) => commerceRequest(target, target.shop, 'POST', `/carts/${RESERVED.ours + n}/place`),
  status: 200,
  limit: {
    title: 'one SQL function doing the whole order',
    script: ({ shop }) =>
      `select bench_place_reserved(${shop.companyId}, ${RESERVED.limit} + nextval('bench_carts') - 1);`,
  },
  goal: 1.3,
};
