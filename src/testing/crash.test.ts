import { expect, test } from 'vitest';
import type { TestBody } from './harness.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from './program.ts';

const ROUNDS = 20;
const CALLERS = 12;
const STOCK = 1_000_000;

/** One deed that must happen exactly once, whatever dies: sent again with the same key until it is answered. */
interface Deed {
  kind: 'order' | 'event';
  key: string;
  qty: number;
  answer: { status: number; id: number } | null;
}

const dataDir = temporaryDataFolder();

async function json(args: string[]): Promise<Record<string, never>> {
  const outcome = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir });
  expect(outcome.stderr).toBe('');
  return JSON.parse(outcome.stdout);
}

test(`no acknowledged order or event is lost and no stock is wrong over ${ROUNDS} kills with -9`, {
  timeout: 150_000,
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

  async function attempt(deed: Deed): Promise<void> {
    const { status, body } =
      deed.kind === 'order'
        ? await call(
            'POST',
            '/commerce/v1/orders',
            {
              customer_id: customer,
              items: [{ product_id: product, qty: deed.qty }],
              shipping_address: '1',
              shipping_city: 'X',
              shipping_zip: '1',
            },
            { 'idempotency-key': deed.key },
          )
        : await call('POST', '/marketing/v1/events', {
            event_type: 'product_viewed',
            event_id: deed.key,
            event_data: { email: 'load@example.com', product_id: String(product), product_name: deed.key },
          });
    // A server that is on its way down may answer 500: nothing is promised then, and the deed is tried again.
    if (status < 500) deed.answer = { status, id: deed.kind === 'order' ? body.data.id : body.event_id };
  }

  const deeds: Deed[] = [];
  const isAnswered = (deed: Deed): boolean => deed.answer !== null;
  const unanswered: Deed[] = [];
  async function caller(until: () => boolean): Promise<void> {
    while (until()) {
      const fresh: Deed = {
        kind: deeds.length % 2 ? 'event' : 'order',
        key: `deed-${deeds.length}`,
        qty: 1 + (deeds.length % 3),
        answer: null,
      };
      const deed = unanswered.pop() ?? fresh;
      if (deed === fresh) deeds.push(deed);
      await attempt(deed).catch(() => new Promise((resolve) => setTimeout(resolve, 5)));
      if (deed.answer === null) unanswered.push(deed);
    }
  }

  for (let round = 0; round < ROUNDS; round++) {
    let running = true;
    // In whatever time the machine takes for them; it may be much slower than the one beside it.
    const acknowledged = deeds.filter(isAnswered).length + 12;
    const enough = () =>
      expect.poll(() => deeds.filter(isAnswered).length, { timeout: 10_000 }).toBeGreaterThan(acknowledged);
    const callers = Array.from({ length: CALLERS }, () => caller(() => running));
    await enough();
    await new Promise((resolve) => setTimeout(resolve, (round * 137) % 400));
    await program.end('SIGKILL');
    running = false;
    await Promise.all(callers);
    program = await startProgram(['--data-dir', dataDir]);
  }
  while (unanswered.length > 0) await attempt(unanswered.pop()!);

  const orders = deeds.filter((deed) => deed.kind === 'order');
  const events = deeds.filter((deed) => deed.kind === 'event');
  expect(orders.length).toBeGreaterThan(ROUNDS * 5);
  expect(deeds.every((deed) => deed.answer !== null && deed.answer.status < 300)).toBe(true);
  expect(new Set(orders.map((deed) => deed.answer!.id)).size).toBe(orders.length);
  expect(new Set(events.map((deed) => deed.answer!.id)).size).toBe(events.length);

  const list = await call('GET', '/commerce/v1/orders?per_page=1');
  expect(list.body.meta.pagination.total).toBe(orders.length);
  const sold = orders.reduce((sum, deed) => sum + deed.qty, 0);
  const inventory = await call('GET', `/commerce/v1/products/${product}/inventory`);
  expect(inventory.body.data.stock_qty).toBe(STOCK - sold);
  for (const deed of orders.slice(-50)) {
    expect((await call('GET', `/commerce/v1/orders/${deed.answer!.id}`)).body.data.items[0].qty).toBe(deed.qty);
  }

  // What the shop did has arrived on the marketing side: one event for each order, and each of our own once.
  const counts = new Map<string, number>();
  const deadline = performance.now() + 20_000;
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
