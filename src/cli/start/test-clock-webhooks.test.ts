import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signBody } from '../../marketing/webhook/signature.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from '../../testing/program.ts';

const folder = temporaryDataFolder({ prepared: true });
const at = ['--data-dir', folder];
let program: Program;
let key: string;
let secret: string;

beforeAll(async () => {
  const shop = await tradeloom(['companies', 'create', '--name', 'Shop', '--json', ...at]);
  secret = JSON.parse(shop.stdout).webhook_secret;
  const made = await tradeloom(['keys', 'create', '--company', '1', '--name', 'test', '--scope', '*', '--json', ...at]);
  key = JSON.parse(made.stdout).key;
  program = await startProgram(['--test-clock', ...at], { TRADELOOM_ALLOW_PRIVATE_WEBHOOKS: '1' });
  const { port } = new URL(program.origin);
  expect(await tradeloom(['clock', 'advance', '2d', '--port', port, ...at])).toMatchObject({ code: 0 });
}, 300_000);
afterAll(() => program.end('SIGTERM'));

const marketing = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${program.origin}/marketing${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'x-company-id': '1', 'content-type': 'application/json', ...headers },
    body,
  });

test('a request signed now is accepted although the test clock is ahead', { timeout: 300_000 }, async () => {
  const event = JSON.stringify({
    event_type: 'order_completed',
    event_data: { order_id: 'T-88', email: 'a@b.example' },
  });
  const report = JSON.stringify({ reports: [{ type: 'soft', email: 'a@b.example' }] });
  for (const [path, body] of [
    ['/webhook', event],
    ['/bounces', report],
  ] as const) {
    const signature = signBody(secret, body, { timestamp: Math.floor(Date.now() / 1_000) });
    expect([path, (await marketing(path, body, { 'x-webhook-signature': signature })).status]).toEqual([path, 200]);
  }
});

test('deliveries are signed with the time of the machine, by which receivers judge them', {
  timeout: 300_000,
}, async () => {
  const { promise: delivered, resolve } = Promise.withResolvers<IncomingMessage>();
  const receiver = createServer((request, response) => {
    resolve(request);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const endpoint = JSON.stringify({ url: `http://127.0.0.1:${port}/`, event_types: ['customer_created'] });
  expect((await marketing('/v1/webhook-endpoints', endpoint)).status).toBe(201);
  await fetch(`${program.origin}/commerce/v1/customers`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: '{"email": "b@b.example"}',
  });
  const sent = Number((await delivered).headers['webhook-timestamp']);
  expect(Math.abs(sent - Date.now() / 1_000)).toBeLessThan(60);
  receiver.close();
});
