import pg from 'pg';
import { expect, test } from 'vitest';
import { findEmbedded } from '../db/embedded/embedded.ts';
import { type Checkout, type CheckoutShop, checkoutOf, expectKept, proceed, soldBy } from './crash-checkouts.ts';
import type { TestBody } from './harness.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from './program.ts';
import { random } from './random/seed.ts';

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 2);
const CALLERS = 12;
const STOCK = 1_000_000;

/** A write that must happen exactly once, whichever process dies: sent again with the same key until it has a response. */
interface Write {
  kind: 'order' | 'event';
  key: string;
  qty: number;
  response: { status: number; id: number } | null;
}

const KINDS = ['order', 'event', 'checkout'] as const;

const dataDir = temporaryDataFolder({ prepared: true });

async function json(args: string[]): Promise<Record<string, never>> {
  const outcome = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir });
  expect(outcome.stderr).toBe('');
  return JSON.parse(outcome.stdout);
}

/** Ends the time of a cart's reservation. */
async function expire(cart: number): Promise<void> {
  const database = new pg.Client(await findEmbedded(dataDir));
  await database.connect();
  await database.query("update reservations set reserved_until = now() - interval '1 second' where cart_id = $1", [
    cart,
  ]);
  await database.end();
}

test(`no acknowledged order, event or checkout is lost and no stock is wrong over ${ROUNDS} kills with -9`, {
  timeout: 180_000 + 30_000 * ROUNDS,
}, async () => {
  let program: Program = await startProgram(['--empty', '--data-dir', dataDir]);
  const company = Number((await json(['companies', 'create', '--name', 'Crash shop'])).company_id);
  const key = String(
    (
      await json([
        'keys',
        'create',
        '--company',
        String(company),
        '--name',
        'load',
        '--scope',
        '*',
        '--requests-per-hour',
        '0',
      ])
    ).key,
  );
  const headers = {
    'content-type': 'application/json',
    'x-api-key': key,
    authorization: `Bearer ${key}`,
    'x-company-id': String(company),
  };
  const call = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const init = {
      method,
      headers: { ...headers, ...more },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(5_000),
    };
    const response = await fetch(program.origin + path, init);
    return { status: response.status, body: (await response.json()) as TestBody };
  };
  const product = (await call('POST', '/commerce/v1/products', { name: 'Thing', price: 3, stock_qty: STOCK })).body.data
    .id;
  const customer = (await call('POST', '/commerce/v1/customers', { email: 'load@example.com' })).body.data.id;
  const made = async (path: string, body: object): Promise<number> =>
    (await call('POST', `/commerce/v1${path}`, body)).body.data.id;
  await call('PATCH', '/commerce/v1/loyalty/settings', { min_redeem_points: 1 });
  await call('POST', `/commerce/v1/customers/${customer}/loyalty/adjust`, { points: 1_000_000 });
  await made('/promo-codes', { code: 'TEN', type: 'percent', value: 10, scope: 'order' });
  const shop: CheckoutShop = {
    call,
    product,
    customer,
    promo: 'TEN',
    cash: await made('/payment-methods', { kind: 'cash', name: 'Cash' }),
    transfer: await made('/payment-methods', { kind: 'bank_transfer', name: 'Transfer' }),
    expire,
  };

  async function attempt(write: Write | Checkout): Promise<void> {
    if (write.kind === 'checkout') return proceed(write, shop);
    const { status, body } =
      write.kind === 'order'
        ? await call(
            'POST',
            '/commerce/v1/orders',
            {
              customer_id: customer,
              items: [{ product_id: product, qty: write.qty }],
              shipping_address: '1',
              shipping_city: 'X',
              shipping_zip: '1',
            },
            { 'idempotency-key': write.key },
          )
        : await call('POST', '/marketing/v1/events', {
            event_type: 'product_viewed',
            event_id: write.key,
            event_data: { email: 'load@example.com', product_id: String(product), product_name: write.key },
          });
    // A server that is shutting down may return 500: that promises nothing, and the action is retried.
    if (status < 500) write.response = { status, id: write.kind === 'order' ? body.data.id : body.event_id };
  }

  const writes: (Write | Checkout)[] = [];
  const isDone = (write: Write | Checkout): boolean => write.response !== null;
  const pending: (Write | Checkout)[] = [];
  function fresh(n: number): Write | Checkout {
    const [kind, key] = [KINDS[n % KINDS.length]!, `write-${n}`];
    if (kind === 'checkout') return checkoutOf(key, Math.floor(n / KINDS.length));
    return { kind, key, qty: 1 + (n % 4), response: null };
  }
  async function caller(until: () => boolean): Promise<void> {
    while (until()) {
      const write = pending.pop() ?? fresh(writes.length);
      if (!writes.includes(write)) writes.push(write);
      await attempt(write).catch(() => new Promise((resolve) => setTimeout(resolve, 5)));
      if (write.response === null) pending.push(write);
    }
  }

  const pick = random(1);
  for (let round = 0; round < ROUNDS; round++) {
    let running = true;
    // However long the machine takes: it may be much slower than another.
    const acknowledged = writes.filter(isDone).length + 12;
    const enough = () =>
      expect.poll(() => writes.filter(isDone).length, { timeout: 60_000 }).toBeGreaterThan(acknowledged);
    const callers = Array.from({ length: CALLERS }, () => caller(() => running));
    await enough();
    await new Promise((resolve) => setTimeout(resolve, pick(400)));
    await program.end('SIGKILL');
    running = false;
    await Promise.all(callers);
    program = await startProgram(['--data-dir', dataDir]);
  }
  while (pending.length > 0) {
    const write = pending.pop()!;
    await attempt(write);
    if (write.response === null) pending.push(write);
  }
  // Everything is acknowledged. The next start also ends reservations at once, which a running program does every ten seconds.
  await program.end('SIGKILL');
  program = await startProgram(['--data-dir', dataDir]);

  const orders = writes.filter((write) => write.kind === 'order');
  const events = writes.filter((write) => write.kind === 'event');
  const checkouts = writes.filter((write) => write.kind === 'checkout');
  const carts = new Set(checkouts.map((checkout) => checkout.cart));
  const placed = checkouts.filter((checkout) => checkout.order !== null);
  const all = new Set([...orders.map((write) => write.response!.id), ...placed.map((checkout) => checkout.order!)]);
  const count = orders.length + placed.length;
  expect(orders.length).toBeGreaterThan(ROUNDS * 5);
  expect(checkouts.length).toBeGreaterThan(ROUNDS * 4);
  expect(writes.filter((write) => write.response === null || write.response.status >= 300)).toEqual([]);
  expect(all.size).toBe(count);
  expect(carts.size).toBe(checkouts.length);
  expect(new Set(events.map((write) => write.response!.id)).size).toBe(events.length);

  const list = await call('GET', '/commerce/v1/orders?per_page=1');
  expect(list.body.meta.pagination.total).toBe(count);
  const sold =
    orders.reduce((sum, write) => sum + write.qty, 0) + checkouts.reduce((sum, checkout) => sum + soldBy(checkout), 0);
  // Before the stock is compared: this waits for the reservations whose time is over.
  for (const checkout of checkouts.slice(-100)) await expectKept(checkout, shop);
  const inventory = await call('GET', `/commerce/v1/products/${product}/inventory`);
  expect(inventory.body.data.stock_qty).toBe(STOCK - sold);
  for (const write of orders.slice(-50)) {
    expect((await call('GET', `/commerce/v1/orders/${write.response!.id}`)).body.data.items[0].qty).toBe(write.qty);
  }

  // What happened in the shop has arrived on the marketing side: its events, and each of our own once.
  const expected = {
    customer_created: 1,
    loyalty_adjusted: 1,
    checkout_started: checkouts.length,
    payment_pending: checkouts.filter(({ plan }) => plan !== 'cash').length,
    order_placed: count,
    product_viewed: events.length,
  };
  const arrived = async () => {
    const counts: Record<string, number> = {};
    let cursor = '';
    for (;;) {
      const page = await call('GET', `/marketing/v1/events?per_page=100${cursor}`);
      for (const { event_type } of page.body.events) counts[event_type] = (counts[event_type] ?? 0) + 1;
      if (page.body.pagination.next_cursor === null) return counts;
      cursor = `&cursor=${page.body.pagination.next_cursor}`;
    }
  };
  await expect.poll(arrived, { timeout: 60_000, interval: 250 }).toEqual(expected);
  expect(await json(['doctor'])).toMatchObject({ ok: true });
  expect((await program.end('SIGTERM')).code).toBe(0);
});
