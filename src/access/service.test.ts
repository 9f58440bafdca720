import { expect, test } from 'vitest';
import { testServer } from '../testing/harness.ts';
import { createKey, revokeKey, rotateKey } from './api-key-service.ts';
import { createCompany } from './service.ts';

const server = testServer();

const company = (fields: object) =>
  createCompany(server.app.db, {
    name: 'Shop',
    currency: 'USD',
    timeZone: 'UTC',
    country: 'US',
    now: server.clock.now(),
    masterKey: server.app.masterKey,
    ...fields,
  });

test.each([
  ['currency', { currency: 'ABC' }],
  ['currency', { currency: 'usd' }],
  ['country', { country: 'ZZ' }],
  ['country', { country: 'Germany' }],
  ['time_zone', { timeZone: 'Mars/Olympus' }],
  ['time_zone', { timeZone: '+01:00' }],
  ['name', { name: ' ' }],
])('a company with a wrong %s is refused', async (field, fields) => {
  await expect(company(fields)).rejects.toMatchObject({ details: { fields: [{ field }] } });
});

test.each([
  ['DE', 'never'],
  ['NO', 'never'],
  ['CH', 'never'],
  ['GB', 'never'],
  ['US', 'subscribed'],
])('in a new company of %s, contacts that an event creates are %s', async (country, state) => {
  const { company_id: companyId } = await company({ country });
  const { key } = await createKey(server.app.db, {
    companyId,
    name: 'test',
    scopes: ['*'],
    requestsPerHour: 0,
    expiresAt: null,
    now: server.clock.now(),
    actor: 'test',
  });
  const headers = { authorization: `Bearer ${key}`, 'x-company-id': String(companyId) };
  const event = {
    event_type: 'product_viewed',
    event_data: { email: 'ada@example.com', product_id: '1', product_name: 'Mug' },
  };
  expect((await server.request('POST', '/marketing/v1/events', { headers, body: event })).status).toBe(201);
  const { body } = await server.request('GET', '/marketing/v1/contacts', { headers });
  expect(body.contacts[0].consent.email.state).toBe(state);
  const settings = await server.request('GET', '/marketing/v1/sending-settings', { headers });
  expect(settings.body.new_contacts_by_events).toBe(state);
});

test('a key that has ended cannot be rotated', async () => {
  const { company_id: companyId } = await company({});
  const now = server.clock.now();
  const made = { companyId, name: 'till', scopes: ['orders:read'], requestsPerHour: 0, now, actor: 'test' };
  const revoked = await createKey(server.app.db, { ...made, expiresAt: null });
  await revokeKey(server.app.db, revoked.key_id, { now, actor: 'test' });
  const expired = await createKey(server.app.db, { ...made, expiresAt: now });
  for (const { key_id } of [revoked, expired]) {
    await expect(rotateKey(server.app.db, key_id, { overlapHours: 1, now, actor: 'test' })).rejects.toThrow(
      'has ended',
    );
  }
  const live = await createKey(server.app.db, { ...made, expiresAt: null });
  const fresh = await rotateKey(server.app.db, live.key_id, { overlapHours: 0, now, actor: 'test' });
  expect(fresh).toMatchObject({ name: 'till', scopes: ['orders:read'] });
  expect(await server.app.authenticator.authenticate(live.key)).toBeNull();
  expect(await server.app.authenticator.authenticate(fresh.key)).toMatchObject({ keyId: fresh.key_id });
});
