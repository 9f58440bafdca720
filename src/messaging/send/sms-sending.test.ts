import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';

/** Messages per second: one is due every 50 ms. */
const RATE = 20;
const arrived: number[] = [];
const provider = createServer((request, response) => {
  arrived.push(performance.now());
  request.resume().on('end', () => response.writeHead(201).end('{"sid":"SM1"}'));
});
await new Promise<void>((listening) => provider.listen(0, '127.0.0.1', listening));
afterAll(() => {
  provider.closeAllConnections();
  provider.close();
});
const { port } = provider.address() as AddressInfo;
const server = testServer({ config: { smsUrl: `http://AC1:token@127.0.0.1:${port}/Messages.json?rate=${RATE}` } });

test('the provider gets no more SMS per second than its address says, and the time comes from the database', async () => {
  const shop = await server.company();
  const contacts = await Promise.all(
    Array.from({ length: 12 }, (_, i) => contactOf(server, shop, { phone: `+4930123450${i + 10}` })),
  );
  const { ids } = await flowMessages(server, shop, contacts, { channel: 'sms', step: { content: 'Hello' } });
  await server.app.workers.find((worker) => worker.name === 'sender')!.runOnce();
  expect((await ledgerOf(server, ids)).every(({ status }) => status === 'sent')).toBe(true);
  expect(arrived).toHaveLength(ids.length);
  expect(arrived.at(-1)! - arrived[0]!).toBeGreaterThan(((ids.length - 1) / RATE) * 1_000 * 0.7);
  expect(await server.rows('select provider from provider_rates')).toEqual([{ provider: `AC1@127.0.0.1:${port}` }]);
});
