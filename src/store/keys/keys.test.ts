import { expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { testPerson } from '../../testing/people.ts';

const server = testServer();

async function shopWithOwner() {
  const shop = await server.company();
  const company = shop.company_id;
  const owner = await testPerson(server, { [company]: 'owner' });
  const ask = (method: string, path: string, body?: unknown) =>
    owner.ask(method, `/${company}/store-keys${path}`, body);
  return { shop, company, owner, ask };
}

test('a store key is created, listed with its text, changed and revoked, each in the audit log', async () => {
  const { company, owner, ask } = await shopWithOwner();
  const made = await ask('POST', '', {
    name: ' Website ',
    origins: ['https://Shop.example.com', 'http://localhost:5173'],
  });
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    id: expect.any(Number),
    key: expect.stringMatching(/^tl_pub_[0-9A-Za-z]{46}$/),
    name: 'Website',
    origins: ['https://shop.example.com', 'http://localhost:5173'],
    location_id: null,
    created_at: server.clock.now().toISOString(),
    revoked_at: null,
  });
  const { id } = made.body;
  expect((await ask('GET', `/${id}`)).body).toEqual(made.body);
  const changed = await ask('PATCH', `/${id}`, {
    origins: ['https://www.example.com/', 'https://www.example.com:443'],
  });
  expect(changed.body).toEqual({ ...made.body, origins: ['https://www.example.com'] });
  const revoked = await ask('DELETE', `/${id}`);
  expect(revoked.body).toEqual({ ...changed.body, revoked_at: server.clock.now().toISOString() });
  expect((await ask('GET', '')).body).toEqual({ store_keys: [revoked.body] });
  expect((await ask('PATCH', `/${id}`, { origins: [] })).body.details).toMatchObject([{ field: 'id' }]);
  const { entries } = (await owner.ask('GET', `/${company}/audit?action=store_key.`)).body;
  expect(entries.map((entry: { action: string }) => entry.action)).toEqual([
    'store_key.revoke',
    'store_key.update',
    'store_key.create',
  ]);
  expect(entries[1]).toMatchObject({
    actor: `admin:${owner.id}`,
    target: `store_key:${id}`,
    details: { origins: ['https://www.example.com'] },
    before: { origins: made.body.origins },
  });
});

test.each([
  [{ name: ' ' }, 'name'],
  [{ name: 'x', origins: ['shop.example.com'] }, 'origins.0'],
  [{ name: 'x', origins: ['https://a.example', 'https://b.example/shop'] }, 'origins.1'],
  [{ name: 'x', origins: ['https://a.example?b'] }, 'origins.0'],
  [{ name: 'x', origins: ['https://*.a.example'] }, 'origins.0'],
  [{ name: 'x', origins: ['https://me@a.example'] }, 'origins.0'],
  [{ name: 'x', origins: ['ftp://a.example'] }, 'origins.0'],
  [{ name: 'x', origins: ['null'] }, 'origins.0'],
  [{ name: 'x', location_id: 999_999_999 }, 'location_id'],
])('%j names the field at fault', async (body, field) => {
  const { ask } = await shopWithOwner();
  const refused = await ask('POST', '', body);
  expect(refused.status).toBe(400);
  expect(refused.body.details).toMatchObject([{ field }]);
});

test('a store key may name an open location of the shop, of no other shop', async () => {
  const { shop, ask } = await shopWithOwner();
  const other = await shopWithOwner();
  const location = (await shop.commerce('POST', '/locations', { name: 'Berlin' })).body.data.id;
  const closed = (await shop.commerce('POST', '/locations', { name: 'Bonn' })).body.data.id;
  await shop.commerce('PATCH', `/locations/${closed}`, { active: false });
  const { body } = await ask('POST', '', { name: 'Berlin', location_id: location });
  expect(body.location_id).toBe(location);
  expect((await ask('PATCH', `/${body.id}`, { location_id: closed })).status).toBe(400);
  expect((await ask('PATCH', `/${body.id}`, { name: 'Everywhere', location_id: null })).body).toMatchObject({
    name: 'Everywhere',
    location_id: null,
  });
  expect((await other.ask('POST', '', { name: 'Berlin', location_id: location })).status).toBe(400);
});

test('store keys of another company are not found, and left as they are', async () => {
  const { shop, ask } = await shopWithOwner();
  const other = await shopWithOwner();
  const { id } = (await ask('POST', '', { name: shop.name })).body;
  for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']] as const) {
    expect((await other.ask(method, `/${id}`, body)).status).toBe(404);
  }
  expect((await ask('GET', `/${id}`)).body).toMatchObject({ name: shop.name, revoked_at: null });
});
