import { describe, expect, it } from 'vitest';
import { exchange } from '../../testing/exchange.ts';
import { testServer } from '../../testing/harness.ts';

const TOKEN = 'metrics-token-of-the-test';
const server = testServer({ config: { metricsToken: TOKEN } });

const read = async (): Promise<string> => String((await server.request('GET', '/metrics')).body);

/** Returns the value of one sample, or 0 if there is none. */
async function sample(name: string): Promise<number> {
  const line = (await read()).split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

describe('the metrics', () => {
  it('count requests by the template of their route and their status', async () => {
    const shop = await server.company();
    const count = (status: number): string =>
      `tradeloom_http_request_duration_seconds_count{method="GET",route="/commerce/v1/products/:id",status="${status}"}`;
    for (const id of ['1', '2', 'no-such']) await shop.commerce('GET', `/products/${id}`);
    await server.request('GET', '/commerce/v1/products/7');
    expect(await sample(count(404))).toBe(3);
    expect(await sample(count(401))).toBe(1);
  });

  it('have one name for all addresses that do not exist', async () => {
    const shop = await server.company();
    for (let i = 0; i < 5; i++) {
      await shop.commerce('GET', `/nowhere-${i}`);
      await server.request('GET', `/nowhere-${i}`);
    }
    const text = await read();
    expect(text).not.toContain('nowhere');
    expect(text).toContain('route="none"');
  });

  it('tell of batches and of the event loop, and of no versions', async () => {
    const shop = await server.company();
    await shop.marketing('POST', '/events', {
      event_type: 'order_completed',
      event_data: { order_id: '1', email: 'a@example.com' },
    });
    const text = await read();
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(text).toMatch(/tradeloom_batch_size_count\{batch="\w+"\} [1-9]/);
    expect(text).not.toMatch(/version/);
    expect(text).not.toContain(process.version);
  });

  it.each([
    ['this machine', '', 200],
    ['this machine with a wrong token', 'Authorization: Bearer wrong\r\n', 200],
    ['a proxy on this machine', 'X-Forwarded-For: 203.0.113.7\r\n', 404],
    ['a proxy of another kind', 'Forwarded: for=203.0.113.7\r\n', 404],
    ['elsewhere with a wrong token', 'X-Forwarded-For: 203.0.113.7\r\nAuthorization: Bearer wrong\r\n', 404],
    ['elsewhere with the token', `X-Forwarded-For: 203.0.113.7\r\nAuthorization: Bearer ${TOKEN}\r\n`, 200],
  ])('are for this machine and for who has the token: %s', async (_who, headers, status) => {
    const response = await exchange(
      server.origin,
      `GET /metrics HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n`,
    );
    expect(response.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  });
});
