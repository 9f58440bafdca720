import { afterAll, describe, expect, test } from 'vitest';
import { createHostGuard } from '../../net/host-guard.ts';
import { testServer } from '../../testing/harness.ts';
import { startSmtpSink } from '../send/transports/smtp-sink.ts';
import { email } from '../send/transports/testing-email.ts';
import type { SealedAccount } from './accounts.ts';
import { startTestingProvider } from './testing-provider.ts';
import { createAccountTransport } from './transports.ts';

const server = testServer();
const sink = await startSmtpSink();
const provider = await startTestingProvider();
afterAll(() => Promise.all([sink.close(), provider.close()]));

const smtp = (fields: object) => ({
  smtp: { host: 'smtp.example.com', username: 'a', password: 'long-enough', ...fields },
});

describe('an account leads to no address inside', () => {
  test.each([
    smtp({ host: '127.0.0.1' }),
    smtp({ host: '10.1.2.3' }),
    smtp({ host: '169.254.169.254' }),
    smtp({ host: '::1' }),
    smtp({ host: '::ffff:127.0.0.1' }),
    smtp({ port: 6379 }),
    smtp({ security: 'none' }),
    { postmark: { server_token: 'long-enough', api_url: 'http://api.example.com' } },
    { sendgrid: { api_key: 'long-enough', api_url: 'https://127.0.0.1' } },
    { mailgun: { api_key: 'long-enough', domain: 'mg.example.com', api_url: 'https://[::1]/' } },
    {
      twilio: {
        account_sid: `AC${'0'.repeat(32)}`,
        auth_token: 'long-enough',
        api_url: 'https://api.example.com:8443',
      },
    },
    { postmark: { server_token: 'long-enough', api_url: 'https://user:secret@api.example.com' } },
  ])('%o is refused when it is added', async (body) => {
    const shop = await server.company();
    expect(await shop.marketing('POST', '/sending-accounts', { name: 'Ours', ...body })).toMatchObject({ status: 400 });
  });

  const guard = createHostGuard({
    allowPrivate: false,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  const common = { id: 1, sealed_secret: '', rate: null, connections: null, active: true, revision: 1 } as const;
  const deps = { masterKey: { open: () => 'secret' }, guard, receiptUrl: () => null };

  test.each([
    {
      ...common,
      provider: 'smtp',
      settings: { host: 'inside.example.com', port: 587, username: 'a', security: 'starttls' },
    },
    {
      ...common,
      provider: 'postmark',
      settings: { message_stream: 'outbound', api_url: 'https://inside.example.com' },
    },
    // As stored while the operator still allowed it.
    { ...common, provider: 'smtp', settings: { host: '127.0.0.1', port: sink.port, username: 'a', security: 'none' } },
    { ...common, provider: 'postmark', settings: { message_stream: 'outbound', api_url: provider.url } },
  ] as SealedAccount[])('%o is refused when its name turns out to be one', async (account) => {
    const transport = createAccountTransport(1, account, deps);
    const message = email('ann');
    const content = { ...message.content!, html: '<p>Hello</p>', messageId: '<a@example.com>' };
    const result = await transport.deliver({ ...message, content }, new AbortController().signal);
    expect(result).toMatchObject({ kind: 'failed', fault: 'service', permanent: false });
    expect([sink.sessions, provider.received.length]).toEqual([0, 0]);
    if (account.settings && 'host' in account.settings && account.settings.host.startsWith('inside')) {
      expect(result).toMatchObject({ reply: expect.stringContaining('is not on the public internet') });
    }
    await transport.close();
  });
});
