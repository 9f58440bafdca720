import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { monotonicMs } from '../../../clock.ts';
import { startBalancer } from '../../../testing/cluster/balancer.ts';
import { type Cluster, startCluster } from '../../../testing/cluster/cluster.ts';
import { createMovedClock } from '../../../testing/cluster/moved-clock.ts';
import { connectionUrl } from '../../../testing/global-setup.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { random, SEED } from '../../../testing/random/seed.ts';
import { startMollieDouble } from '../testing/mollie/double.ts';
import { act, paymentsOf, type World } from '../testing/random/acts.ts';
import { comeToRest, findProblems } from '../testing/random/rest.ts';
import { openRandomShop, type RandomShop } from '../testing/random/shop.ts';
import { startStripeDouble } from '../testing/stripe/double.ts';

/**
 * Two processes of the program serve requests and two work in the background. While random shops live, each by a seed of its own, and calls
 * and webhooks get lost, the processes die by kill -9 at any moment, and are started again. In the end, nothing is left over: the books of the
 * services equal ours to the cent, and all invariants hold. The same at full size: PAYMENT_SEEDS=200 PAYMENT_KILLS=20.
 */
const SEEDS = Number(process.env.PAYMENT_SEEDS ?? 10);
/** Of each seed. */
const KILLS = Number(process.env.PAYMENT_KILLS ?? 5);
/** Shops that live at the same time, and acts in each of them. */
const SHOPS_AT_ONCE = 10;
const ACTS_AT_ONCE = 2;
const ACTS_BETWEEN_KILLS = 100;
const APIS = 2;
const WORKERS = 2;
/** How long what is due may take on a busy machine. */
const PATIENCE_MS = 120_000;
const CHANCES = {
  time_out_before: 0.03,
  time_out_after: 0.03,
  error_500: 0.02,
  conflict_409: 0.02,
  lost: 0.1,
  delayed: 0.2,
};

const dataDir = mkdtempSync(join(tmpdir(), 'tradeloom-kills-'));
const clock = createMovedClock(join(dataDir, 'time'));
const stripe = await startStripeDouble({ clock, chances: CHANCES });
const mollie = await startMollieDouble({ clock, chances: CHANCES });
const balancer = await startBalancer();
const masterKey = randomBytes(32).toString('base64');
/** Makes shops and looks at the result; the programs do all else. */
const server = testServer({
  clock,
  config: { paymentUrls: { stripe: stripe.url, mollie: mollie.url }, masterKey, publicUrl: balancer.url },
});
let cluster: Cluster | undefined;
/** Of all shops. */
let acts = 0;

afterAll(async () => {
  await cluster?.stop();
  await Promise.all([stripe.close(), mollie.close()]);
  await balancer.close();
  clock.close();
  await rm(dataDir, { recursive: true, force: true });
});

const settings = (): Record<string, string> => ({
  ...clock.env,
  DATABASE_URL: connectionUrl(server.connection),
  TRADELOOM_DATA_DIR: dataDir,
  TRADELOOM_MASTER_KEY: masterKey,
  TRADELOOM_PUBLIC_URL: balancer.url,
  TRADELOOM_STRIPE_URL: stripe.url,
  TRADELOOM_MOLLIE_URL: mollie.url,
  TRADELOOM_DNS_SERVERS: '127.0.0.1:9',
  LOG_LEVEL: 'error',
});

/** Puts the clock forward. A write tells workers that rest until something is due. */
async function putForward(ms: number): Promise<void> {
  clock.advance(ms);
  await server.rows('select pg_current_xact_id()');
}

/** Waits until the programs have begun all that is due by now. */
async function untilNothingIsDue(): Promise<void> {
  const now = clock.now();
  const due = () =>
    server.rows<{ what: string; id: number }>(
      `select 'operation ' || kind as what, o.id::int from payment_operations o where due_at <= $1 and not exists (
         select from payment_operations e
         where e.company_id = o.company_id and e.payment_id = o.payment_id and e.id < o.id and e.due_at is not null)
       union all select 'fetch', id::int from payments where fetch_at <= $1
       union all select 'renewal', id::int from subscriptions where due_at <= $1
       union all select 'reservation', cart_id::int from reservations where reserved_until <= $1`,
      [now],
    );
  await expect.poll(due, { timeout: PATIENCE_MS }).toEqual([]);
}

/** A client that repeats what has no response with the same key. */
function clientOf(key: string): TestCompany['commerce'] {
  let sent = 0;
  return async (method, path, body, more) => {
    const headers: Record<string, string> = { 'x-api-key': key, 'idempotency-key': `${key} ${++sent}`, ...more };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const init = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    for (const limit = monotonicMs() + PATIENCE_MS; monotonicMs() < limit; await sleep(50)) {
      const response = await fetch(`${balancer.url}/commerce/v1${path}`, init).catch(() => null);
      if (response === null || response.status >= 500) continue;
      const text = await response.text().catch(() => null);
      if (text !== null) return { status: response.status, headers: response.headers, body: JSON.parse(text) };
    }
    throw new Error(`${method} ${path} has no response`);
  };
}

const world: World = {
  stripe,
  mollie,
  rows: server.rows,
  // Of many shops with one clock.
  pass: (ms) => putForward(ms / SHOPS_AT_ONCE),
  work: async () => {},
  disturb: async () => null,
};

/** The same where programs are given the time to do what is due. */
const patient: World = {
  ...world,
  pass: putForward,
  work: untilNothingIsDue,
};

test(`books of services and shops agree after ${SEEDS} seeds of ${KILLS} kills with -9 over two API and two worker processes`, {
  timeout: 600_000 + SEEDS * 15_000 + ((SEEDS * KILLS) / SHOPS_AT_ONCE) * 15_000,
}, async () => {
  for (let first = 0; first < SEEDS; first += SHOPS_AT_ONCE) {
    const seeds = Array.from({ length: Math.min(SHOPS_AT_ONCE, SEEDS - first) }, (_, n) => 1_000 * SEED + first + n);
    const shops: RandomShop[] = [];
    for (const _ of seeds) shops.push(await openShop());
    cluster = await startCluster(balancer, settings(), { apis: APIS, workers: WORKERS });
    stripe.faults.begin(seeds[0]!);
    mollie.faults.begin(seeds[0]! + 1);
    let running = true;
    const goesOn = () => running;
    const lives = shops.flatMap((shop, n) =>
      Array.from({ length: ACTS_AT_ONCE }, (_, caller) => live(shop, random(100 + caller, seeds[n]!), goesOn)),
    );
    const killing = killProcesses(cluster, random(200, seeds[0]!)).finally(() => {
      running = false;
    });
    await Promise.all([killing, ...lives]);
    await comeToRest(patient, shops);
    expect(await findProblems(world, server.app.db)).toEqual([]);
    await cluster.stop();
    cluster = undefined;
  }
});

async function openShop(): Promise<RandomShop> {
  const shop = await openRandomShop(server, { stripe, mollie });
  return { ...shop, commerce: clientOf(shop.key) };
}

async function live(shop: RandomShop, draw: (below: number) => number, goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    await act(world, shop, await paymentsOf(world, shop), draw);
    acts += 1;
  }
}

/** Kills some of the programs, again and again: every second time while a call to a service is under way, otherwise at any moment. */
async function killProcesses(processes: Cluster, draw: (below: number) => number): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    // However long the machine takes.
    const enough = acts + ACTS_BETWEEN_KILLS;
    await expect.poll(() => acts, { timeout: PATIENCE_MS }).toBeGreaterThan(enough);
    if (kill % 2 === 0) await expect.poll(callsUnderWay, { timeout: PATIENCE_MS, interval: 5 }).toBeGreaterThan(0);
    else await sleep(draw(300));
    const first = draw(processes.size);
    // Sometimes two die, each of another pair or the same.
    const ending = new Set([first, draw(3) === 0 ? draw(processes.size) : first]);
    await Promise.all([...ending].map((n) => processes.kill(n)));
    await Promise.all([...ending].map((n) => processes.start(n)));
  }
}

async function callsUnderWay(): Promise<number> {
  const [calling] = await server.rows<{ n: number }>(
    "select count(*)::int as n from payment_operations where state = 'calling'",
  );
  return calling!.n;
}
