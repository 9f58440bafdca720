import { expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { purgePaymentWebhooks } from './webhook-purge.ts';

const server = testServer();

test('webhooks are deleted after 30 days', async () => {
  const shop = await server.company();
  const old = new Date(server.clock.now().getTime() - 30 * 86_400_000 - 1);
  await server.rows(
    `insert into payment_webhook_events (company_id, account_id, dedupe_key, received_at)
     values ($1, 1, 'old', $2), ($1, 1, 'new', $3)`,
    [shop.company_id, old, server.clock.now()],
  );
  const purge = purgePaymentWebhooks(server.app.db, server.clock);
  expect(await purge(null)).toMatchObject({ done: 1, next: null });
  expect(await server.rows('select dedupe_key from payment_webhook_events')).toEqual([{ dedupe_key: 'new' }]);
});
