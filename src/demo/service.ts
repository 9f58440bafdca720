import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyIn } from '../access/api-key-service.ts';
import { createCompanyIn, listCompanies } from '../access/service.ts';
import type { Tx } from '../db/pool.ts';
import { claimFirstStart, type DemoIds, findInstallation, mayDecide, saveDemo } from '../installation.ts';
import { createStoreKeyIn } from '../store/keys/service.ts';
import type { DemoDeps } from './services.ts';
import { fillShop } from './shop.ts';

/** The demo shop that was just created; its secrets are shown only once. */
export interface DemoShop {
  ids: DemoIds;
  key: string;
  webhookSecret: string;
}

/**
 * Creates the demo shop at the first start on a database, unless `empty` is set or a company exists. It does so in one transaction: a
 * start that dies leaves nothing, and of several processes that start at once, one creates it while the others wait.
 * @param origin http://host:port under which the shop's pictures are served
 * @returns the shop if this call created it, otherwise null
 */
export async function firstStart(
  deps: DemoDeps,
  options: { empty: boolean; origin: string },
): Promise<DemoShop | null> {
  return whileDeciding(deps, async (tx) => {
    if (!(await claimFirstStart(tx)) || options.empty) return null;
    if ((await listCompanies(tx)).length > 0) return null;
    return create(deps, tx, options.origin);
  });
}

/** Creates the demo shop in addition to existing companies; null if there is one already. */
export async function makeDemoShop(deps: DemoDeps, origin: string): Promise<DemoShop | null> {
  return whileDeciding(deps, async (tx) => {
    await claimFirstStart(tx);
    if ((await findInstallation(tx)).demo !== null) return null;
    return create(deps, tx, origin);
  });
}

/** Runs `work` in one process at a time. Polls for the lock, since waiting for it would end in a lock timeout. */
async function whileDeciding<T>(deps: DemoDeps, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (;;) {
    const outcome = await deps.db.tx(async (tx) => ((await mayDecide(tx)) ? { done: await work(tx) } : null));
    if (outcome !== null) return outcome.done;
    await sleep(250);
  }
}

async function create(deps: DemoDeps, tx: Tx, origin: string): Promise<DemoShop> {
  const now = deps.clock.now();
  const company = await createCompanyIn(tx, {
    name: 'Fernhill Coffee & Tea',
    currency: 'USD',
    timeZone: 'America/Los_Angeles',
    country: 'US',
    now,
    masterKey: deps.masterKey,
    actor: 'demo',
  });
  const companyId = company.company_id;
  const ids = await fillShop(deps, tx, { companyId, now, origin });
  const key = await createKeyIn(tx, {
    companyId,
    name: 'demo',
    scopes: ['*'],
    requestsPerHour: 1000,
    expiresAt: null,
    now,
    actor: 'demo',
  });
  // Pages of this server may use it without being listed.
  await createStoreKeyIn(tx, { companyId, now, actor: 'demo' }, { name: 'Demo shop' });
  await saveDemo(tx, ids);
  return { ids, key: key.key, webhookSecret: company.webhook_secret };
}
