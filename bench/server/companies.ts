import type pg from 'pg';
import { createKey } from '../../src/access/api-key-service.ts';
import { createCompany } from '../../src/access/service.ts';
import type { RunningApp } from '../../src/app.ts';
import { systemClock } from '../../src/clock.ts';
import { createStoreKeyIn } from '../../src/store/keys/service.ts';
import { addContacts, addEvents, addList } from './audience.ts';
import { fillShop } from './shop.ts';
import type { CrowdedShop, TargetShop } from './target.ts';

export const LARGE_PRODUCTS = 100_000;
export const CUSTOMERS = 10_000;
/** High enough for the whole run, and still counted: every request passes the rate limiter like a customer's. */
const REQUESTS_PER_HOUR = 1_000_000_000;

/** A company with a key for everything, filled by SQL. */
export async function makeShop(
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
  const maker = { companyId, now, actor: 'bench' };
  const store = await app.db.tx((tx) => createStoreKeyIn(tx, maker, { name: 'bench', origins: [] }));
  // Counted as well, and never reached.
  const settings = { webhook: { requests_per_hour: REQUESTS_PER_HOUR } };
  await client.query('update companies set settings = settings || $2 where company_id = $1', [companyId, settings]);
  return fillShop(client, { companyId, key, storeKey: store.key, webhookSecret }, size);
}

const EVENTS_OF_A_CONTACT = 5;

/** Creates as many products as contacts, up to LARGE_PRODUCTS, and as many customers, up to CUSTOMERS. */
export async function makeCrowdedShop(running: RunningApp, client: pg.Client, contacts: number): Promise<CrowdedShop> {
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
