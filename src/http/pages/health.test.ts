import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../app.ts';
import { monotonicMs } from '../../clock.ts';
import type { Lanes } from '../../db/lanes/lanes.ts';
import { testServer } from '../../testing/harness.ts';
import { healthPages } from './health.ts';

const server = testServer({ impatient: true });

describe('health', () => {
  it('is healthy while the database responds', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      const response = await server.request('GET', path);
      expect([path, response.status, response.body]).toEqual([path, 200, { status: 'ok' }]);
      expect(response.headers.get('x-request-id')).not.toBeNull();
    }
  });

  it('is told to monitors that send HEAD, as every other page that is read', async () => {
    for (const path of ['/health/live', '/health/ready', '/docs', '/openapi/commerce.json', '/metrics']) {
      const [head, get] = [await server.request('HEAD', path), await server.request('GET', path)];
      expect([path, head.status, head.headers.get('content-type')]).toEqual([
        path,
        200,
        get.headers.get('content-type'),
      ]);
      expect(head.body).toBe('');
    }
    expect((await server.request('HEAD', '/')).status).toBe(302);
  });

  it('is alive but not ready while the database does not respond', async () => {
    const { probe } = (server.app.db.shared as { lanes: Lanes }).lanes;
    const { run } = probe;
    probe.run = () => Promise.reject(new Error('no connection'));
    try {
      expect((await server.request('GET', '/health/live')).status).toBe(200);
      const response = await server.request('GET', '/health/ready');
      expect([response.status, response.body]).toEqual([503, { status: 'unavailable' }]);
    } finally {
      probe.run = run;
    }
    expect((await server.request('GET', '/health/ready')).status).toBe(200);
  });

  it('is ready within about a second while held messages are being counted, once for all who ask', async () => {
    const { db, log } = server.app;
    const { promise: count, resolve: endCount } = Promise.withResolvers<object[]>();
    let counts = 0;
    const findDetails = () => {
      counts++;
      return count;
    };
    await using page = Fastify();
    healthPages(page, { config: { metricsToken: 'a token of the monitoring' }, db, log, findDetails });
    const check = () => page.inject('/health/ready');
    const began = monotonicMs();
    const checks = await Promise.all([check(), check()]);
    expect(monotonicMs() - began).toBeLessThan(2_000);
    expect(checks.map((response) => [response.statusCode, response.json()])).toEqual(
      Array(2).fill([200, { status: 'ok' }]),
    );
    endCount([{ held: 'no_transport' }]);
    await count;
    expect((await check()).json()).toEqual({ status: 'ok', details: [{ held: 'no_transport' }] });
    expect(counts).toBe(1);
    const elsewhere = (headers: Record<string, string>) =>
      page.inject({ url: '/health/ready', headers: { 'x-forwarded-for': '203.0.113.7', ...headers } });
    expect((await elsewhere({})).json()).toEqual({ status: 'ok' });
    const withToken = await elsewhere({ authorization: 'Bearer a token of the monitoring' });
    expect(withToken.json()).toHaveProperty('details');
  });

  it('accepts no more requests after it is told to stop, and finishes those in progress', async () => {
    const { config } = server.app;
    const running = await createApp({
      config,
      clock: server.clock,
      connection: server.connection,
      logTo: server.logTo,
    });
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let entered = false;
    running.server.get('/slow', async () => {
      entered = true;
      await held;
      return 'done';
    });
    const origin = await running.server.listen({ host: '127.0.0.1', port: 0 });
    const slow = fetch(`${origin}/slow`).then((response) => response.text());
    await expect.poll(() => entered).toBe(true);
    const stopped = running.stop();
    const knock = () =>
      fetch(`${origin}/health/ready`).then(
        (response) => response.status,
        () => 'refused',
      );
    await expect.poll(knock).toBe('refused');
    release();
    expect(await slow).toBe('done');
    await stopped;
  });
});
