import { expect, test } from 'vitest';
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

const dataDir = temporaryDataFolder({ prepared: true });

async function json(args: string[]): Promise<Record<string, never>> {
  const outcome = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir });
  expect(outcome.stderr).toBe('');
  return JSON.parse(outcome.stdout);
}

test(`no acknowledged order or event is lost and no stock is wrong over ${ROUNDS} kills with -9`, {
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

  async function attempt(write: Write): Promise<void> {
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

  const writes: Write[] = [];
  const isDone = (write: Write): boolean => write.response !== null;
  const pending: Write[] = [];
  async function caller(until: () => boolean): Promise<void> {
    while (until()) {
      const fresh: Write = {
        kind: writes.length % 2 ? 'event' : 'order',
        key: `write-${writes.length}`,
        qty: 1 + (writes.length % 3),
        response: null,
      };
      const write = pending.pop() ?? fresh;
      if (write === fresh) writes.push(write);
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
  while (pending.length > 0) await attempt(pending.pop()!);

  const orders = writes.filter((write) => write.kind === 'order');
  const events = writes.filter((write) => write.kind === 'event');
  expect(orders.length).toBeGreaterThan(ROUNDS * 5);
  expect(writes.every((write) => write.response !== null && write.response.status < 300)).toBe(true);
  expect(new Set(orders.map((write) => write.response!.id)).size).toBe(orders.length);
  expect(new Set(events.map((write) => write.response!.id)).size).toBe(events.length);

  const list = await call('GET', '/commerce/v1/orders?per_page=1');
  expect(list.body.meta.pagination.total).toBe(orders.length);
  const sold = orders.reduce((sum, write) => sum + write.qty, 0);
  const inventory = await call('GET', `/commerce/v1/products/${product}/inventory`);
  expect(inventory.body.data.stock_qty).toBe(STOCK - sold);
  for (const write of orders.slice(-50)) {
    expect((await call('GET', `/commerce/v1/orders/${write.response!.id}`)).body.data.items[0].qty).toBe(write.qty);
  }

  // What happened in the shop has arrived on the marketing side: one event for each order, and each of our own once.
  const counts = new Map<string, number>();
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    counts.clear();
    let cursor = '';
    for (;;) {
      const page = await call('GET', `/marketing/v1/events?per_page=100${cursor}`);
      for (const event of page.body.events) counts.set(event.event_type, (counts.get(event.event_type) ?? 0) + 1);
      if (page.body.pagination.next_cursor === null) break;
      cursor = `&cursor=${page.body.pagination.next_cursor}`;
    }
    if (counts.get('order_placed') === orders.length) break;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  expect(Object.fromEntries(counts)).toEqual({
    customer_created: 1,
    order_placed: orders.length,
    product_viewed: events.length,
  });
  expect(await json(['doctor'])).toMatchObject({ ok: true });
  expect((await program.end('SIGTERM')).code).toBe(0);
});
