import { expect, test } from 'vitest';
import type { Db, Tx } from '../db/pool.ts';
import { testServer } from '../testing/harness.ts';
import { exchange } from './exchange.ts';
import { claimMessages } from './ledger-queries.ts';
import { loadSendingCompany } from './settings.ts';
import { contactOf, flowMessages } from './testing-sending.ts';

const server = testServer();

test('a connection that is lost is one failure that somebody hears of, and ends no process', async () => {
  const shop = await server.company();
  await flowMessages(server, shop, [await contactOf(server, shop), await contactOf(server, shop)]);
  const { db } = server.app;
  const work = { company_id: shop.company_id, lane: 1 as const, campaign_id: null };
  const claim = { now: server.clock.now(), limit: 10, channels: ['email'] as const, behind: null };
  const [message] = await db.tenantTx(shop.company_id, (tx) => claimMessages(tx, work, claim));
  const company = await loadSendingCompany(db, shop.company_id);
  const delivered = [{ message: message!, to: 'a@example.net', result: { kind: 'sent' as const, reply: '250' } }];
  /** All statements on their way fail together, as those of a connection do that ends. */
  const lost: Db = {
    ...db,
    tenantTx: (companyId, body) =>
      db.tenantTx(companyId, (tx) => {
        const broken: Tx = Object.assign(Object.create(tx), {
          query: () => new Promise((_, reject) => setImmediate(() => reject(new Error('the connection was lost')))),
        });
        return body(broken);
      }),
  };
  const unheard: unknown[] = [];
  const hear = (error: unknown): void => void unheard.push(error);
  process.prependListener('unhandledRejection', hear);
  try {
    const exchanged = exchange(
      lost,
      company,
      server.app.messaging.tokenKey,
      { delivered, ready: [] },
      server.clock.now(),
    );
    await expect(exchanged).rejects.toThrow('the connection was lost');
    await new Promise((resolve) => setTimeout(resolve, 20));
  } finally {
    process.off('unhandledRejection', hear);
  }
  expect(unheard).toEqual([]);
});
