import { expect, test } from 'vitest';
import { createKey } from '../access/api-key-service.ts';
import { testServer } from '../testing/harness.ts';

const server = testServer();
const SETTINGS = ['settings:read', 'settings:write'];

test.each([
  ['contacts', 'klaviyo', 'marketing'],
  ['customers', 'shopify-customers', 'customers'],
  ['products', 'shopify-products', 'products'],
  ['orders', 'shopify-orders', 'orders'],
])('an import of %s needs the scopes of what it writes and shows', async (_kind, format, side) => {
  const shop = await server.company();
  const keyWith = async (...scopes: string[]) => {
    const { key } = await createKey(server.app.db, {
      companyId: shop.company_id,
      name: 'importer',
      scopes: [...SETTINGS, ...scopes],
      requestsPerHour: 0,
      expiresAt: null,
      actor: 'test',
      now: server.clock.now(),
    });
    return (method: string, path: string, body?: object) =>
      server.request(method, `/commerce/v1${path}`, { ...(body && { body }), headers: { 'x-api-key': key } });
  };
  const [settings, reader, writer] = [
    await keyWith(),
    await keyWith(`${side}:read`),
    await keyWith(`${side}:write`, `${side}:read`),
  ];
  const file = { format, file_name: 'file.csv' };
  const refused = await settings('POST', '/imports', file);
  expect([refused.status, refused.body.error.details.required]).toEqual([403, `${side}:write`]);
  const { id } = (await writer('POST', '/imports', file)).body.data;
  const chunk = { n: 0, data: Buffer.from('Email,Name\na@example.com,A\n').toString('base64') };
  expect((await writer('POST', `/imports/${id}/chunks`, chunk)).status).toBe(200);
  for (const [method, step, body] of [
    ['POST', 'chunks', chunk],
    ['POST', 'check', {}],
    ['POST', 'run', {}],
    ['POST', 'cancel', undefined],
    ['POST', 'undo', undefined],
  ] as const) {
    expect([step, (await reader(method, `/imports/${id}/${step}`, body)).status]).toEqual([step, 403]);
  }
  for (const shown of ['preview', 'findings']) {
    expect([shown, (await settings('GET', `/imports/${id}/${shown}`)).status]).toEqual([shown, 403]);
    expect([shown, (await reader('GET', `/imports/${id}/${shown}`)).status]).toEqual([shown, 200]);
  }
  expect((await settings('GET', `/imports/${id}`)).status).toBe(200);
});
