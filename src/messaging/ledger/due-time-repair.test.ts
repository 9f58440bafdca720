import { expect, test } from 'vitest';
import { freshWorker } from '../../testing/fresh-worker.ts';
import { testServer } from '../../testing/harness.ts';
import { heldUntil } from '../send/holds.ts';
import { SETTINGS } from '../send/missing-settings.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';
import { UNTIL_RELEASED } from './message.ts';

const server = testServer();
const NOW = '2026-03-15T12:00:00.000Z';
const AHEAD = '2026-03-23T12:00:00.000Z';
const HOUR = 3_600_000;

const send = async () => {
  const sender = server.app.workers.find((worker) => worker.name === 'sender')!;
  while ((await sender.runOnce()) > 0);
};
/** Runs a fresh process, in which every chore is due. */
const upkeep = () => freshWorker(server.app, 'chores').runOnce();
const dueAt = async (id: number) =>
  (await server.rows<{ due_at: Date }>('select due_at from messages where id = $1', [id]))[0]!.due_at;

test('a message that was queued while the clock was ahead goes once it is right again', async () => {
  server.clock.set(AHEAD);
  const shop = await server.company();
  const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
  server.clock.set(NOW);
  await send();
  expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'queued' }]);
  await upkeep();
  await send();
  expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent' }]);
});

test('so does one of a campaign that is being sent', async () => {
  server.clock.set(AHEAD);
  const shop = await server.company();
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  const contact_ids = [await contactOf(server, shop)];
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids });
  const campaign = { name: 'C', type: 'email', subject: 'x', content: 'x', list_id: list.list_id };
  const { campaign_id: id } = (await shop.marketing('POST', '/campaigns', campaign)).body;
  await shop.marketing('POST', `/campaigns/send/${id}`);
  for (const name of ['campaign-audiences', 'campaigns'])
    await server.app.workers.find((worker) => worker.name === name)!.runOnce();
  const statuses = () => server.rows('select status from messages where campaign_id = $1', [id]);
  server.clock.set(NOW);
  await send();
  expect(await statuses()).toEqual([{ status: 'queued' }]);
  await upkeep();
  await send();
  expect(await statuses()).toEqual([{ status: 'sent' }]);
});

test('the end of quiet hours, a winner and a missing setting are waited for', async () => {
  server.clock.set(NOW);
  const shop = await server.company();
  const contacts = [await contactOf(server, shop), await contactOf(server, shop), await contactOf(server, shop)];
  const { ids } = await flowMessages(server, shop, contacts);
  const moments = [new Date(new Date(NOW).getTime() + 25 * HOUR), UNTIL_RELEASED, heldUntil(SETTINGS[0]!)];
  for (const [i, moment] of moments.entries())
    await server.rows('update messages set due_at = $2 where id = $1', [ids[i], moment]);
  await upkeep();
  expect(await Promise.all(ids.map(dueAt))).toEqual(moments);
});
