import pg from 'pg';
import { beginSession } from '../../src/access/sessions.ts';
import { createApp } from '../../src/app.ts';
import { systemClock } from '../../src/clock.ts';
import { readConfig } from '../../src/config.ts';
import { migrate } from '../../src/db/migrate.ts';
import { addContacts } from './audience.ts';
import { addFacets, addLocations, addVariants } from './catalogue.ts';
import { CUSTOMERS, LARGE_PRODUCTS, makeCrowdedShop, makeShop } from './companies.ts';
import { endWithProcess } from './endings.ts';
import { observeLoop } from './loop-figures.ts';
import { startPostgres } from './postgres.ts';
import { addOrders, addTerms, createOrderFunctions } from './shop.ts';
import { addCardMethod, startStripe } from './stripe.ts';
import type { Need, Target, TargetShop } from './target.ts';

/** Commands to this process; each is echoed when it is done. */
export type ServerRequest = 'rest' | 'work' | 'hold sender';
/** Requests the figures of the event loop since the last request. */
export type LoopRequest = 'event loop';

const PRODUCTS = 10_000;
const ORDERS = 1_000_000;
const CONTACTS = 10_000;
const MANY_CONTACTS = 1_000_000;

/** Runs the product as a customer starts it, on a durable PostgreSQL of its own, for as long as the runner lives. */
async function start(): Promise<void> {
  const postgres = await startPostgres('bench');
  await migrate(postgres.connection);
  // Names of what the scenarios need in addition to the shops; an SMTP server is given by its address.
  const needs = process.argv.slice(2) as Need[];
  const smtpUrl = needs.find((need) => need.startsWith('smtp:'));
  const crowd = Number(needs.find((need) => need.startsWith('crowd:'))?.slice('crowd:'.length) ?? 0);
  const stripe = needs.includes('stripe') ? await startStripe() : null;
  const settings = {
    // Visitors of the store are limited by their network, which the load states.
    TRADELOOM_TRUSTED_PROXIES: '127.0.0.1',
    ...(smtpUrl === undefined ? {} : { SMTP_URL: smtpUrl }),
    ...(stripe === null ? {} : { TRADELOOM_STRIPE_URL: stripe.url }),
    // Its webhooks go to an address of this machine.
    ...(crowd > 0 ? { TRADELOOM_ALLOW_PRIVATE_WEBHOOKS: '1' } : {}),
  };
  const config = { ...readConfig({ port: 0, dataDir: postgres.dataDir }, settings), logLevel: 'warn' };
  const running = await createApp({ config, clock: systemClock, connection: postgres.connection });
  endWithProcess(() => running.stop());

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
  let facetShop: TargetShop | null = null;
  if (needs.includes('facets')) {
    facetShop = await makeShop(running, client, 'Faceted bench', { products: LARGE_PRODUCTS, customers: 1 });
    await addFacets(client, facetShop);
  }
  let variantShop: TargetShop | null = null;
  if (needs.includes('variants')) {
    variantShop = await makeShop(running, client, 'Variant bench', { products: 100, customers: 1 });
    await addVariants(client, variantShop, 100);
  }
  let locationShop: TargetShop | null = null;
  if (needs.includes('locations')) {
    locationShop = await makeShop(running, client, 'Located bench', { products: PRODUCTS, customers: CUSTOMERS });
    await addLocations(client, locationShop);
  }
  const card = stripe === null ? null : await addCardMethod(running, shop.companyId, stripe);
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
  const loopFigures = observeLoop();
  process.on('message', async (request: ServerRequest | LoopRequest) => {
    if (request === 'event loop') return void process.send!(loopFigures());
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
    facetShop,
    variantShop,
    locationShop,
    stripe: stripe && { url: stripe.url, publishableKey: stripe.publishableKey, method: card! },
    crowdedShop,
    adminCookie: await beginSession(running.app.db, {
      personId: null,
      address: '127.0.0.1',
      userAgent: 'bench',
      now: new Date(),
    }),
  };
  process.send!(target);
}

await start();
