import { afterAll, expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';
import { startSmtpSink } from './transports/smtp-sink.ts';

const sink = await startSmtpSink();
afterAll(() => sink.close());
const server = testServer({ config: { smtpUrl: `smtp://127.0.0.1:${sink.port}?tls=off` } });
const sender = () => server.app.workers.find((worker) => worker.name === 'sender')!;

test('the demo shop keeps its messages in the mailbox where a mail server is set, and takes no account of its own', async () => {
  const [demo, other] = [await server.company(), await server.company()];
  await server.rows('update companies set is_demo = true where company_id = $1', [demo.company_id]);
  const messages = [];
  for (const shop of [demo, other]) {
    const contact = await contactOf(server, shop, { email: `ok@s${shop.company_id}.example.net` });
    messages.push(...(await flowMessages(server, shop, [contact])).ids);
  }
  while ((await sender().runOnce()) > 0);
  expect(await ledgerOf(server, messages)).toMatchObject([{ status: 'sent' }, { status: 'sent' }]);
  expect(sink.stored.map(({ to }) => to)).toEqual([`ok@s${other.company_id}.example.net`]);
  const kept = await server.rows('select recipient from mailbox_messages');
  expect(kept).toEqual([{ recipient: `ok@s${demo.company_id}.example.net` }]);
  const transports = await server.rows('select transport from messages where id = any($1) order by id', [messages]);
  expect(transports).toEqual([{ transport: 'mailbox' }, { transport: 'smtp' }]);
  const account = {
    name: 'Mine',
    smtp: { host: 'mail.example.com', port: 587, username: 'u', password: 'secret-secret', security: 'starttls' },
  };
  const refused = await demo.marketing('POST', '/sending-accounts', account);
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('demo shop')]);
});
