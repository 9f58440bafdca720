import { expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { removeOld } from '../../retention/testing.ts';
import { testServer } from '../../testing/harness.ts';
import { messagingInvariants } from '../invariants.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';

const server = testServer();
const DAY = 86_400_000;

test('the mailbox deletes messages after its retention, the ledger keeps them, and the totals stay exact', async () => {
  server.clock.set(new Date(Date.now() - (30 + 1) * DAY));
  const shop = await server.company();
  const sender = server.app.workers.find((worker) => worker.name === 'sender')!;
  const send = async () => {
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await sender.runOnce();
    return ids;
  };
  const old = await send();
  server.clock.advance(2 * DAY);
  const young = await send();
  server.clock.set(new Date());
  await removeOld(server);
  const { body } = await shop.marketing('GET', '/mailbox');
  expect(body.messages.map((one: { id: number }) => one.id)).toEqual(young);
  expect(body.pagination.total).toBe(1);
  expect(await ledgerOf(server, [...old, ...young])).toMatchObject([{ status: 'sent' }, { status: 'sent' }]);
  expect((await checkInvariants(server.app.db, messagingInvariants)).filter((one) => !one.ok)).toEqual([]);
});
