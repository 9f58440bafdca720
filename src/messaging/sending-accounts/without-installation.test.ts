import { afterAll, expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';
import { startTestingProvider } from './testing-provider.ts';

const provider = await startTestingProvider();
afterAll(() => provider.close());
const server = testServer({
  config: {
    mode: 'production',
    mailbox: false,
    publicUrl: 'https://shop.example.com',
    hosts: ['127.0.0.1'],
    allowPrivateWebhooks: true,
  },
});

test('where the installation has no mail server, a company with an account sends, and what waited for one goes', async () => {
  const shop = await server.company();
  const sender = server.app.workers.find((worker) => worker.name === 'sender')!;
  const contact = await contactOf(server, shop);
  const { ids } = await flowMessages(server, shop, [contact]);
  await sender.runOnce();
  expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'queued', reason: 'held: no_transport' }]);
  const list = (await shop.marketing('POST', '/lists', { name: 'All' })).body.list_id;
  const campaign = {
    name: 'News',
    type: 'email',
    subject: 'News',
    content: '<p>News</p>',
    list_id: list,
  };
  const { body } = await shop.marketing('POST', '/campaigns', campaign);
  const refused = await shop.marketing('POST', `/campaigns/send/${body.campaign_id}`, {});
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('SMTP_URL') } });

  const postmark = { server_token: 'a-server-token-of-postmark', api_url: provider.url };
  await shop.marketing('PATCH', '/sending-settings', { from_email: 'hello@shop.example.com' });
  await shop.marketing('POST', '/sending-accounts', { name: 'Ours', active: true, postmark });
  await expect
    .poll(async () => {
      await sender.runOnce();
      return (await ledgerOf(server, ids))[0]!.status;
    })
    .toBe('sent');
  expect(provider.received).toHaveLength(1);
  expect(await shop.marketing('POST', `/campaigns/send/${body.campaign_id}`, {})).toMatchObject({ status: 200 });
});
