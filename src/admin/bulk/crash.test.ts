import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findEmbedded } from '../../db/embedded/embedded.ts';
import type { TestBody } from '../../testing/harness.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from '../../testing/program.ts';

/** Raise BULK_ORDERS and BULK_KILLS for a longer run. */
const ORDERS = Number(process.env.BULK_ORDERS ?? 400);
const KILLS = Number(process.env.BULK_KILLS ?? 1);
const AT_ONCE = 10;

const dataDir = temporaryDataFolder({ prepared: true });
let program: Program;

beforeAll(async () => {
  program = await startProgram(['--empty', '--data-dir', dataDir]);
});
afterAll(() => program.end('SIGTERM'));

async function json(args: string[]): Promise<TestBody> {
  const outcome = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir });
  expect(outcome.stderr).toBe('');
  return JSON.parse(outcome.stdout);
}

/** Runs a statement directly, on a separate connection. */
async function inDatabase<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  const database = new pg.Client(await findEmbedded(dataDir));
  await database.connect();
  const { rows } = await database.query(text, values);
  await database.end();
  return rows as Row[];
}

test(`${ORDERS} orders over ${KILLS} kills with -9: each is shipped once and counted once`, {
  timeout: 240_000,
}, async () => {
  const company = String((await json(['companies', 'create', '--name', 'Crash shop'])).company_id);
  const options = ['--company', company, '--name', 'load', '--scope', '*', '--requests-per-hour', '0'];
  const { key } = await json(['keys', 'create', ...options]);
  const make = async (path: string, body: object): Promise<number> => {
    const response = await fetch(`${program.origin}/commerce/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify(body),
    });
    const result = (await response.json()) as TestBody;
    expect(response.status, JSON.stringify(result)).toBe(201);
    return result.data.id;
  };
  const product_id = await make('/products', { name: 'Tea', price: 5, stock_qty: ORDERS });
  const customer_id = await make('/customers', { email: 'ann@example.com' });
  const order = {
    customer_id,
    items: [{ product_id, qty: 1 }],
    shipping_address: '1 Lane',
    shipping_city: 'Oslo',
    shipping_zip: '0150',
    shipping_country: 'NO',
  };
  for (let n = 0; n < ORDERS; n += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => make('/orders', order)));
  }
  await inDatabase(
    `insert into bulk_actions (company_id, action, filters, status, total, upto, actor, created_at)
     select $1, 'ship_orders', '{"status": "pending"}', 'running', count(*), max(id), 'admin:1', now()
     from orders where company_id = $1`,
    [company],
  );
  const read = async () =>
    (await inDatabase<{ status: string; changed: number }>('select status, changed from bulk_actions'))[0]!;
  let seen = 0;
  let kills = 0;
  while (kills < KILLS) {
    const { status, changed } = await read();
    if (status !== 'running') break;
    if (changed <= seen) {
      await sleep(5);
      continue;
    }
    seen = changed;
    await program.end('SIGKILL');
    kills++;
    program = await startProgram(['--data-dir', dataDir]);
    // The dead worker's lease would end after 30 s of database time: the test does not wait for that.
    await inDatabase("update bulk_actions set lease_until = null where status = 'running'");
  }
  await expect.poll(async () => (await read()).status, { timeout: 60_000 }).toBe('done');
  expect(kills).toBeGreaterThan(0);
  expect(await inDatabase('select changed, refused, total from bulk_actions')).toEqual([
    { changed: ORDERS, refused: 0, total: ORDERS },
  ]);
  const counts = await inDatabase<{ shipped: number; entries: number }>(
    `select (select count(*)::int from orders where status = 'shipped') as shipped,
       (select count(*)::int from order_history where type = 'status' and to_status = 'shipped') as entries`,
  );
  expect(counts).toEqual([{ shipped: ORDERS, entries: ORDERS }]);
  expect(await json(['doctor'])).toMatchObject({ ok: true });
});

/** Raise BULK_CONTACTS for a longer run. */
const CONTACTS = Number(process.env.BULK_CONTACTS ?? 5_000);

interface Progress {
  id: string;
  status: string;
  changed: number;
  refused: number;
  total: number;
}

test(`a tag for ${CONTACTS} contacts, and its undo, over ${KILLS} kills with -9 each: nobody is left out, nobody else is touched`, {
  timeout: 240_000,
}, async () => {
  const company = String((await json(['companies', 'create', '--name', 'Tagging shop'])).company_id);
  // Every third contact already has the tag and keeps it.
  await inDatabase(
    `insert into contacts (company_id, email, search, tags, created_at, updated_at)
     select $1, 'p' || n || '@example.com', '', case when n % 3 = 0 then array['vip', 'old'] else array['old'] end, now(), now()
     from generate_series(1, $2::int) n`,
    [company, CONTACTS],
  );
  const begin = async (action: string, input: object, matching: string): Promise<string> => {
    const [row] = await inDatabase<{ id: string }>(
      `insert into bulk_actions (company_id, action, filters, input, status, total, upto, actor, created_at)
       select $1, $2, '{}', $3, 'running', count(*), max(id), 'admin:1', now() from contacts where company_id = $1 and ${matching}
       returning id`,
      [company, action, JSON.stringify(input)],
    );
    return row!.id;
  };
  const read = async (id: string): Promise<Progress> =>
    (await inDatabase<Progress>('select * from bulk_actions where company_id = $1 and id = $2', [company, id]))[0]!;
  const tagged = async (): Promise<number[]> =>
    (
      await inDatabase<{ n: number }>(
        "select substr(split_part(email, '@', 1), 2)::int as n from contacts where company_id = $1 and 'vip' = any(tags) order by 1",
        [company],
      )
    ).map(({ n }) => n);
  const overKills = async (id: string): Promise<Progress> => {
    let seen = 0;
    let kills = 0;
    while (kills < KILLS) {
      const { status, changed } = await read(id);
      if (status !== 'running') break;
      if (changed <= seen) {
        await sleep(5);
        continue;
      }
      seen = changed;
      await program.end('SIGKILL');
      kills++;
      program = await startProgram(['--data-dir', dataDir]);
      await inDatabase("update bulk_actions set lease_until = null where status = 'running'");
    }
    expect(kills).toBeGreaterThan(0);
    await expect.poll(async () => (await read(id)).status, { timeout: 60_000 }).toBe('done');
    return read(id);
  };
  const all = Array.from({ length: CONTACTS }, (_, n) => n + 1);
  const before = all.filter((n) => n % 3 === 0);
  const without = CONTACTS - before.length;

  const id = await begin('tag_contacts', { tag: 'vip' }, "not 'vip' = any(tags)");
  expect(await overKills(id)).toMatchObject({ total: without, changed: without, refused: 0 });
  expect(await tagged()).toEqual(all);
  const kept = await inDatabase<{ n: number; each: number }>(
    `select count(*)::int as n, count(distinct x)::int as each
     from bulk_action_changes cross join lateral unnest(contact_ids) x where company_id = $1 and bulk_action_id = $2`,
    [company, id],
  );
  expect(kept).toEqual([{ n: without, each: without }]);

  const undo = await begin('undo_tagging', { tag: 'vip', of: Number(id), added: true }, 'id is not null');
  expect(await overKills(undo)).toMatchObject({ changed: without, refused: 0 });
  expect(await tagged()).toEqual(before);
  expect(await json(['doctor'])).toMatchObject({ ok: true });
});
