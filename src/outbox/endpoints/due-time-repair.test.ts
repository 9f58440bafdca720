import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { freshWorker } from '../../testing/fresh-worker.ts';
import { testServer } from '../../testing/harness.ts';

const server = testServer({ config: { allowPrivateWebhooks: true } });
const NOW = '2026-03-15T12:00:00.000Z';
const AHEAD = '2026-03-23T12:00:00.000Z';
const HOUR = 3_600_000;

let sink: Server;
let url: string;
let status = 500;
let received = 0;

beforeAll(async () => {
  sink = createServer((request, response) => {
    request.resume().on('end', () => {
      received++;
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/hook`;
});
afterAll(() => sink.close());
beforeEach(() => {
  received = 0;
  status = 500;
});

const runOnce = (name: string) => server.app.workers.find((worker) => worker.name === name)!.runOnce();
/** Uses a fresh worker, as in a process that has just started: everything is due. */
const upkeep = () => freshWorker(server.app, 'chores').runOnce();

test('a delivery and an endpoint that failed while the clock was ahead wait for no moment of that time', async () => {
  server.clock.set(AHEAD);
  const shop = await server.company();
  const { body } = await shop.marketing('POST', '/webhook-endpoints', { url });
  const ping = () => shop.marketing('POST', `/webhook-endpoints/test/${body.endpoint_id}`, {});
  await ping();
  await runOnce('webhook-deliveries');
  expect(received).toBe(1);
  // This delivery is queued but never attempted.
  await ping();
  server.clock.set(NOW);
  await runOnce('webhook-deliveries');
  expect(received).toBe(1);
  await upkeep();
  const day = new Date(new Date(NOW).getTime() + 24 * HOUR);
  expect(await rowsOf(shop.company_id)).toEqual([
    { due_at: new Date(NOW), give_up_at: day },
    { due_at: new Date(NOW), give_up_at: day },
  ]);
  expect(
    await server.rows('select failing_since from webhook_endpoints where company_id = $1', [shop.company_id]),
  ).toEqual([{ failing_since: new Date(NOW) }]);
  status = 200;
  while ((await runOnce('webhook-deliveries')) > 0);
  expect(received).toBe(3);
});

test('the longest pause between two tries is waited for', async () => {
  server.clock.set(NOW);
  const shop = await server.company();
  const { body } = await shop.marketing('POST', '/webhook-endpoints', { url });
  await shop.marketing('POST', `/webhook-endpoints/test/${body.endpoint_id}`, {});
  // As written by another machine whose clock is a minute ahead.
  const due_at = new Date(new Date(NOW).getTime() + 4 * HOUR + 60_000);
  await server.rows('update webhook_deliveries set due_at = $2 where company_id = $1', [shop.company_id, due_at]);
  await upkeep();
  expect(await rowsOf(shop.company_id)).toMatchObject([{ due_at }]);
});

const rowsOf = (companyId: number) =>
  server.rows('select due_at, give_up_at from webhook_deliveries where company_id = $1', [companyId]);
