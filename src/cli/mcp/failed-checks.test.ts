import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { ConnectionError } from '../../../client/src/client.ts';
import { clientOf } from './failed-checks.ts';
import { createMcpHttp } from './http.ts';

it('wrong keys from one network block neither other networks nor known keys', async () => {
  let checks = 0;
  const gateway = {
    isKnown: (key: string) => key === 'known',
    check: async (key: string) => {
      checks++;
      if (key.startsWith('wrong')) throw new Error('The API key is unknown');
    },
    serverFor: async () => Promise.reject(new Error('not asked')),
  };
  const server = createMcpHttp({ gateway, companyId: 1, hosts: [], onError: () => {} });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const ask = async (key: string, from: string): Promise<number> => {
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': `192.0.2.99, ${from}` };
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body: '{}' });
    await response.arrayBuffer();
    return response.status;
  };
  // Those that work use nothing up.
  for (let i = 0; i < 12; i++) expect([401, 429]).not.toContain(await ask(`right-${i}`, '198.51.100.1'));
  checks = 0;
  const asked = Array.from({ length: 13 }, (_, i) => ask(`wrong-${i}`, '198.51.100.1'));
  const statuses = (await Promise.all(asked)).sort();
  expect(statuses).toEqual([...Array(10).fill(401), ...Array(3).fill(429)]);
  expect(checks).toBe(10);
  expect(await ask('right', '198.51.100.1')).toBe(429);
  expect([401, 429]).not.toContain(await ask('known', '198.51.100.1'));
  expect([401, 429]).not.toContain(await ask('right', '198.51.100.2'));
  server.close();
  server.closeAllConnections();
});

it('a server that cannot be reached makes no key a wrong one', async () => {
  let isThere = false;
  const gateway = {
    isKnown: () => false,
    check: async () => {
      if (!isThere) throw new ConnectionError('The server cannot be reached');
    },
    serverFor: async () => Promise.reject(new Error('not asked')),
  };
  const server = createMcpHttp({ gateway, companyId: 1, hosts: [], onError: () => {} });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const ask = async (): Promise<Response> => {
    const headers = { authorization: 'Bearer right' };
    return fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body: '{}' });
  };
  for (let i = 0; i < 12; i++) {
    const response = await ask();
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await response.json()).toEqual({ error: 'unavailable', message: 'The server cannot be reached' });
  }
  isThere = true;
  expect([401, 429, 503]).not.toContain((await ask()).status);
  server.close();
  server.closeAllConnections();
});

it('only a proxy of this machine names the address of its client', () => {
  const from = (remoteAddress: string, forwarded?: string): string =>
    clientOf({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } as unknown as IncomingMessage);
  expect(from('127.0.0.1', '198.51.100.1')).toBe('198.51.100.1');
  expect(from('::ffff:127.0.0.1', '10.0.0.1, 198.51.100.1')).toBe('198.51.100.1');
  expect(from('127.0.0.1')).toBe('127.0.0.1');
  expect(from('203.0.113.5', '198.51.100.1')).toBe('203.0.113.5');
});
