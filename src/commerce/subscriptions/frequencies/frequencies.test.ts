import { describe, expect, test } from 'vitest';
import { type TestCompany, type TestResponse, testServer } from '../../../testing/harness.ts';

const server = testServer({ described: true });
const TEN_WEEKS = { name: 'Every 10 weeks', unit: 'week', interval: 10 };
const ADDRESS = { shipping_address: '1 Quay', shipping_city: 'Ghent', shipping_zip: '9000', shipping_country: 'BE' };

const namesOf = async (shop: TestCompany): Promise<string[]> =>
  (await shop.commerce('GET', '/subscription-frequencies')).body.data.map((one: { name: string }) => one.name);

async function subscriber(shop: TestCompany): Promise<(frequency_id: number) => Promise<TestResponse>> {
  const product = await shop.commerce('POST', '/products', { name: 'Tea', price: 5, subscription_enabled: true });
  const customer = await shop.commerce('POST', '/customers', { email: 'ann@example.com' });
  const body = { customer_id: customer.body.data.id, product_id: product.body.data.id, ...ADDRESS };
  return (frequency_id) => shop.commerce('POST', '/subscriptions', { ...body, frequency_id });
}

describe('subscription frequencies', () => {
  test('a new one is last in the list, and subscriptions are renewed by it', async () => {
    const shop = await server.company();
    const made = await shop.commerce('POST', '/subscription-frequencies', TEN_WEEKS);
    expect([made.status, made.body.data]).toEqual([
      201,
      { ...TEN_WEEKS, id: expect.any(Number), active: true, position: 8 },
    ]);
    expect((await namesOf(shop)).at(-1)).toBe('Every 10 weeks');
    const { id } = made.body.data;
    expect((await shop.commerce('GET', `/subscription-frequencies/${id}`)).body.data).toEqual(made.body.data);
    const begun = await (await subscriber(shop))(id);
    expect(begun.body.data.frequency_name).toBe('Every 10 weeks');
    const next = await shop.commerce('GET', `/subscriptions/${begun.body.data.id}/upcoming`);
    expect(next.body.data.following_dates[0]).toBe('2026-05-24');
  });

  test('one is renamed and moved; its unit and interval stay', async () => {
    const shop = await server.company();
    const { id } = (await shop.commerce('POST', '/subscription-frequencies', TEN_WEEKS)).body.data;
    const patch = { name: 'Rarely', position: 1, interval: 3 };
    const changed = await shop.commerce('PATCH', `/subscription-frequencies/${id}`, patch);
    expect(changed.body.data).toEqual({ ...TEN_WEEKS, id, name: 'Rarely', active: true, position: 1 });
    expect(changed.headers.get('x-ignored-fields')).toBe('interval');
    expect((await namesOf(shop)).slice(0, 2)).toEqual(['Weekly', 'Rarely']);
  });

  test('a disabled one cannot be used by new subscriptions, and existing ones continue', async () => {
    const shop = await server.company();
    const { id } = (await shop.commerce('POST', '/subscription-frequencies', TEN_WEEKS)).body.data;
    const subscribe = await subscriber(shop);
    const { id: begun } = (await subscribe(id)).body.data;
    await shop.commerce('PATCH', `/subscription-frequencies/${id}`, { active: false });
    expect((await subscribe(id)).body.error.details.fields).toMatchObject([{ field: 'frequency_id' }]);
    expect((await shop.commerce('PATCH', `/subscriptions/${begun}`, { frequency_id: id })).status).toBe(422);
    expect((await shop.commerce('GET', `/subscriptions/${begun}/upcoming`)).status).toBe(200);
  });

  test('an unused frequency is deleted; one that a subscription uses is kept, even a cancelled one', async () => {
    const shop = await server.company();
    const { id } = (await shop.commerce('POST', '/subscription-frequencies', TEN_WEEKS)).body.data;
    const { id: begun } = (await (await subscriber(shop))(id)).body.data;
    await shop.commerce('POST', `/subscriptions/${begun}/cancel`);
    const refused = await shop.commerce('DELETE', `/subscription-frequencies/${id}`, undefined, {
      'Idempotency-Key': 'x',
    });
    expect([refused.status, refused.body.error.details.reason]).toEqual([422, 'in_use']);
    const deleted = await shop.commerce('DELETE', '/subscription-frequencies/1');
    expect([deleted.status, deleted.body.data.name]).toEqual([200, 'Weekly']);
    expect((await shop.commerce('DELETE', '/subscription-frequencies/1')).status).toBe(404);
    expect(await namesOf(shop)).not.toContain('Weekly');
    const other = await server.company();
    expect(await namesOf(other)).toContain('Weekly');
  });

  test('a subscription that begins while its frequency is deleted is refused, or the deletion is', async () => {
    const shop = await server.company();
    const subscribe = await subscriber(shop);
    for (let round = 0; round < 10; round++) {
      const { id } = (await shop.commerce('POST', '/subscription-frequencies', TEN_WEEKS)).body.data;
      const [begun, deleted] = await Promise.all([
        subscribe(id),
        shop.commerce('DELETE', `/subscription-frequencies/${id}`),
      ]);
      const either = [begun.status, deleted.status];
      expect([
        [201, 422],
        [422, 200],
      ]).toContainEqual(either);
    }
  });

  test('changes are in the audit log, and need the scope of settings', async () => {
    const shop = await server.company();
    const { id } = (await shop.commerce('POST', '/subscription-frequencies', TEN_WEEKS)).body.data;
    const rows = await server.rows<{ target: string }>(
      'select target from audit_log where company_id = $1 and action = $2',
      [shop.company_id, 'subscription_frequency.create'],
    );
    expect(rows).toEqual([{ target: `subscription_frequency:${id}` }]);
    const clerk = await server.company({ scopes: ['subscriptions:write'] });
    expect((await clerk.commerce('POST', '/subscription-frequencies', TEN_WEEKS)).status).toBe(403);
  });
});
