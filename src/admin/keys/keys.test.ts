import { expect, test } from 'vitest';
import { API_KEY_PATTERN } from '../../access/api-keys.ts';
import { testServer } from '../../testing/harness.ts';
import { testPerson } from '../../testing/people.ts';

const server = testServer();

async function shopWithOwner() {
  const shop = await server.company();
  const owner = await testPerson(server, { [shop.company_id]: 'owner' });
  const statusOf = async (key: string): Promise<number> =>
    (await server.request('GET', '/commerce/v1/products', { headers: { 'x-api-key': key } })).status;
  return { shop, company: shop.company_id, owner, statusOf };
}

test('a key is created with scopes, works, is shown once, and says when it was last used', async () => {
  const { company, owner, statusOf } = await shopWithOwner();
  const made = await owner.ask('POST', `/${company}/keys`, { name: 'Till', scopes: ['products:read', 'orders:write'] });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ name: 'Till', requests_per_hour: 1_000, expires_at: null });
  expect(made.body.key).toMatch(API_KEY_PATTERN);
  expect(await statusOf(made.body.key)).toBe(200);
  const listed = await owner.ask('GET', `/${company}/keys`);
  expect(listed.body.keys).toContainEqual(
    expect.objectContaining({ id: made.body.id, status: 'active', last_used_at: expect.any(String) }),
  );
  expect(JSON.stringify(listed.body)).not.toContain(made.body.key);
  const { entries } = (await owner.ask('GET', `/${company}/audit?action=key.`)).body;
  expect(entries[0]).toMatchObject({ action: 'key.create', actor: `admin:${owner.id}`, details: { name: 'Till' } });
});

test.each([
  [{ name: '', scopes: ['products:read'] }, 'name'],
  [{ name: 'x', scopes: [] }, 'scopes'],
  [{ name: 'x', scopes: ['members:write'] }, 'scopes.0'],
  [{ name: 'x', scopes: ['*'], expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
  [{ name: 'x', scopes: ['*'], requests_per_hour: -1 }, 'requests_per_hour'],
])('%j names the field at fault', async (body, field) => {
  const { company, owner } = await shopWithOwner();
  const refused = await owner.ask('POST', `/${company}/keys`, body);
  expect(refused.status).toBe(400);
  expect(refused.body.details).toMatchObject([{ field }]);
});

test('a replaced key works during the overlap, a revoked key is refused', async () => {
  const { company, owner, statusOf } = await shopWithOwner();
  const made = (await owner.ask('POST', `/${company}/keys`, { name: 'Till', scopes: ['products:read'] })).body;
  const fresh = await owner.ask('POST', `/${company}/keys/rotate/${made.id}`, { overlap_hours: 1 });
  expect([fresh.status, fresh.body.scopes]).toEqual([201, ['products:read']]);
  expect([await statusOf(made.key), await statusOf(fresh.body.key)]).toEqual([200, 200]);
  server.clock.advance(3_600_000);
  expect([await statusOf(made.key), await statusOf(fresh.body.key)]).toEqual([401, 200]);
  // After an hour the identity has to be confirmed again.
  const again = await testPerson(server, { [company]: 'owner' });
  const revoked = await again.ask('DELETE', `/${company}/keys/${fresh.body.id}`);
  expect(revoked.body).toMatchObject({ status: 'revoked' });
  await expect.poll(() => statusOf(fresh.body.key)).toBe(401);
  const states = (await again.ask('GET', `/${company}/keys`)).body.keys.map(({ id, status }: never) => [id, status]);
  expect(states).toContainEqual([made.id, 'expired']);
  expect(states).toContainEqual([fresh.body.id, 'revoked']);
});

test('keys of another company are not found, and left as they are', async () => {
  const { company, owner } = await shopWithOwner();
  const other = await shopWithOwner();
  const made = (await other.owner.ask('POST', `/${other.company}/keys`, { name: 'Till', scopes: ['products:read'] }))
    .body;
  expect((await owner.ask('DELETE', `/${company}/keys/${made.id}`)).status).toBe(404);
  expect((await owner.ask('POST', `/${company}/keys/rotate/${made.id}`)).status).toBe(404);
  expect(await other.statusOf(made.key)).toBe(200);
});

test('the stored response of an Idempotency-Key contains the same key', async () => {
  const { company, owner } = await shopWithOwner();
  const twice = async (path: string, body: object) => {
    const headers = { 'idempotency-key': `once ${path}` };
    const first = await owner.ask('POST', path, body, headers);
    const second = await owner.ask('POST', path, body, headers);
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    return first.body;
  };
  const { id } = await twice(`/${company}/keys`, { name: 'Till', scopes: ['products:read'] });
  const fresh = await twice(`/${company}/keys/rotate/${id}`, { overlap_hours: 1 });
  expect(fresh.key).toMatch(API_KEY_PATTERN);
  expect((await owner.ask('GET', `/${company}/keys`)).body.keys).toHaveLength(3);
});
