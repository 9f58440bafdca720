import { setTimeout as sleep } from 'node:timers/promises';
import { createCompanyIn, createKeyIn, listCompanies } from '../access/service.ts';
import type { App } from '../app.ts';
import type { Tx } from '../db/pool.ts';
import { claimFirstStart, type DemoIds, findInstallation, mayDecide, saveDemo } from '../installation.ts';
import { stockShop } from './shop.ts';

/** The demo shop just made; the secrets are shown this once. */
export interface DemoShop {
  ids: DemoIds;
  key: string;
  webhookSecret: string;
}

/**
 * At the first start on a database, makes the demo shop, unless none is wanted or somebody was here before. All of it is
 * one transaction: a start that dies leaves nothing, and of several at once one makes it while the others wait.
 * @param origin http://host:port under which the shop's pictures are served
 * @returns the shop when it was made now, else null
 */
export async function firstStart(app: App, options: { empty: boolean; origin: string }): Promise<DemoShop | null> {
  return deciding(app, async (tx) => {
    if (!(await claimFirstStart(tx)) || options.empty) return null;
    if ((await listCompanies(tx)).length > 0) return null;
    return make(app, tx, options.origin);
  });
}

/** Makes the demo shop beside whatever there is; null when there is one already. */
export async function makeDemoShop(app: App, origin: string): Promise<DemoShop | null> {
  return deciding(app, async (tx) => {
    await claimFirstStart(tx);
    if ((await findInstallation(tx)).demo !== null) return null;
    return make(app, tx, origin);
  });
}

/** One at a time over all processes. It is asked again and again, since a wait for a lock would end as an error. */
async function deciding<T>(app: App, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (;;) {
    const outcome = await app.db.tx(async (tx) => ((await mayDecide(tx)) ? { done: await work(tx) } : null));
    if (outcome !== null) return outcome.done;
    await sleep(250);
  }
}

async function make(app: App, tx: Tx, origin: string): Promise<DemoShop> {
  const now = app.clock.now();
  const company = await createCompanyIn(tx, {
    name: 'Fernhill Coffee & Tea',
    currency: 'USD',
    timeZone: 'America/Los_Angeles',
    country: 'US',
    now,
    masterKey: app.masterKey,
    actor: 'demo',
  });
  const companyId = company.company_id;
  const ids = await stockShop(app, tx, { companyId, now, origin });
  const key = await createKeyIn(tx, {
    companyId,
    name: 'demo',
    scopes: ['*'],
    requestsPerHour: 1000,
    expiresAt: null,
    now,
    actor: 'demo',
  });
  await saveDemo(tx, ids);
  return { ids, key: key.key, webhookSecret: company.webhook_secret };
}
