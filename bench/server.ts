import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createCompany, createKey } from '../src/access/service.ts';
import { createApp, type RunningApp } from '../src/app.ts';
import { systemClock } from '../src/clock.ts';
import { readConfig } from '../src/config.ts';
import { startEmbedded } from '../src/db/embedded/embedded.ts';
import { migrate } from '../src/db/migrate.ts';
import { addContacts, addEvents, addList } from './audience.ts';
import type { CrowdedShop, Need, Target, TargetShop } from './scenario.ts';
import { addOrders, addTerms, createOrderFunctions, fillShop } from './shop.ts';

/** Commands to this process; each is echoed when it is done. */
export type ServerRequest = 'rest' | 'work' | 'hold sender';

const PRODUCTS = 10_000;
const LARGE_PRODUCTS = 100_000;
const CUSTOMERS = 10_000;
const ORDERS = 1_000_000;
const CONTACTS = 10_000;
const MANY_CONTACTS = 1_000_000;
/** High enough for the whole run, and still counted: every request passes the rate limit as a customer's does. */
const REQUESTS_PER_HOUR = 1_000_000_000;

async function makeShop(
  { app }: RunningApp,
  client: pg.Client,
  name: string,
  size: { products: number; customers: number },
): Promise<TargetShop> {
  const now = systemClock.now();
  const { company_id: companyId, webhook_secret: webhookSecret } = await createCompany(app.db, {
    name,
    currency: 'USD',
    timeZone: 'UTC',
    country: 'US',
    now,
    masterKey: app.masterKey,
  });
  const { key } = await createKey(app.db, {
    companyId,
    name: 'bench',
    scopes: ['*'],
    requestsPerHour: REQUESTS_PER_HOUR,
    expiresAt: null,
    now,
    actor: 'bench',
  });
  // Counted as well, and never reached.
  const settings = { webhook: { requests_per_hour: REQUESTS_PER_HOUR } };
  await client.query('update companies set settings = settings || $2 where company_id = $1', [companyId, settings]);
  return fillShop(client, { companyId, key, webhookSecret }, size);
}

const EVENTS_OF_A_CONTACT = 5;

/** As many products as contacts, up to LARGE_PRODUCTS, and as many customers, up to CUSTOMERS. */
async function makeCrowdedShop(running: RunningApp, client: pg.Client, contacts: number): Promise<CrowdedShop> {
  const size = { products: Math.min(contacts, LARGE_PRODUCTS), customers: Math.min(contacts, CUSTOMERS) };
  const shop = await makeShop(running, client, 'Crowded bench', size);
  const ids = await addContacts(client, shop.companyId, contacts);
  await addEvents(client, shop.companyId, ids, contacts * EVENTS_OF_A_CONTACT);
  const list = await addList(client, shop.companyId);
  // What the chores and autovacuum would have done over the year.
  for (let more = true; more; ) {
    const { rows } = await client.query<{ more: boolean }>('select add_up_events(now()) as more');
    more = rows[0]!.more;
  }
  return { ...shop, firstContact: ids.first, lastContact: ids.last, list };
}

/**
 * The product as a customer starts it, on a PostgreSQL of its own that keeps what it acknowledges. It lasts as long as
 * the runner.
 */
async function start(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tradeloom-bench-'));
  const postgres = await startEmbedded({ dataDir, log: (line) => process.stderr.write(`${line}\n`) });
  await migrate(postgres.connection);
  // Names of what the scenarios need beside the shops; an SMTP server is needed by its address.
  const needs = process.argv.slice(2) as Need[];
  const smtpUrl = needs.find((need) => need.startsWith('smtp:'));
  const crowd = Number(needs.find((need) => need.startsWith('crowd:'))?.slice('crowd:'.length) ?? 0);
  const settings = {
    ...(smtpUrl === undefined ? {} : { SMTP_URL: smtpUrl }),
    // Its webhooks go to an address of this machine.
    ...(crowd > 0 ? { TRADELOOM_ALLOW_PRIVATE_WEBHOOKS: '1' } : {}),
  };
  const config = { ...readConfig({ port: 0, dataDir }, settings), logLevel: 'warn' };
  const running = await createApp({ config, clock: systemClock, connection: postgres.connection });
  // Ctrl-C reaches this process, too; the runner's end is what ends it.
  process.on('SIGINT', () => {});
  process.once('disconnect', async () => {
    await running.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const origin = await running.server.listen({ host: '127.0.0.1', port: 0 });
  const client = new pg.Client(postgres.connection);
  await client.connect();
  const shop = await makeShop(running, client, 'Bench', { products: PRODUCTS, customers: CUSTOMERS });
  await addContacts(client, shop.companyId, CONTACTS);
  const ofOthers = (products: number): number => (crowd > 0 ? 1 : products);
  const large = { products: ofOthers(LARGE_PRODUCTS), customers: 1 };
  const largeShop = await makeShop(running, client, 'Large bench', large);
  const full = { products: ofOthers(PRODUCTS), customers: ofOthers(CUSTOMERS) };
  const fullShop = await makeShop(running, client, 'Full bench', full);
  await addTerms(client, fullShop);
  let orderShop: TargetShop | null = null;
  let firstOrder = 0;
  if (needs.includes('orders')) {
    orderShop = await makeShop(running, client, 'Old bench', { products: 1, customers: CUSTOMERS });
    firstOrder = await addOrders(client, orderShop, ORDERS);
  }
  let contactShop: TargetShop | null = null;
  if (needs.includes('contacts')) {
    contactShop = await makeShop(running, client, 'Audience bench', { products: 1, customers: 1 });
    await addContacts(client, contactShop.companyId, MANY_CONTACTS);
  }
  const crowdedShop = crowd > 0 ? await makeCrowdedShop(running, client, crowd) : null;
  await createOrderFunctions(client);
  await client.end();
  running.startWorkers();

  const { workers } = running.app;
  const actions: Record<ServerRequest, () => Promise<unknown>> = {
    rest: () => Promise.all(workers.map((worker) => worker.pause())),
    'hold sender': () => Promise.all(workers.filter(({ name }) => name === 'sender').map((one) => one.pause())),
    work: async () => {
      for (const worker of workers) worker.resume();
    },
  };
  process.on('message', async (request: ServerRequest) => {
    await actions[request]();
    process.send!(request);
  });
  const target: Target = {
    port: Number(new URL(origin).port),
    database: postgres.connection,
    shop,
    contacts: CONTACTS,
    largeShop,
    fullShop,
    orderShop,
    firstOrder,
    contactShop,
    crowdedShop,
  };
  process.send!(target);
}

await start();
