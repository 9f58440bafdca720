import { expect, test } from 'vitest';
import { firstBrokenSeal } from '../../../access/audit.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer({ described: true });

const DEFAULTS = {
  store_url: null,
  show_stock: 'few',
  cart_merge: 'larger',
  abandoned_after_minutes: 60,
  refund_on_cancel: true,
  wrong_amount: 'refund',
  retry_days: [1, 3, 5, 7],
  after_retries: 'pause',
};

const change = (shop: TestCompany, fields: object) => shop.commerce('PATCH', '/checkout-settings', fields);

async function errorsOf(shop: TestCompany, fields: object): Promise<string[]> {
  const { status, body } = await change(shop, fields);
  expect(status).toBe(422);
  const found = body.error!.details!.fields as unknown as { field: string; code: string }[];
  return found.map(({ field, code }) => `${field} ${code}`).sort();
}

test('checkout settings have defaults, and are changed in part; other settings stay', async () => {
  const shop = await server.company();
  const cached = async () => (await server.app.shops.get(shop.company_id)).checkout;
  expect(await shop.commerce('GET', '/checkout-settings')).toMatchObject({ status: 200, body: { data: DEFAULTS } });
  expect(await cached()).toEqual(DEFAULTS);
  await shop.commerce('PATCH', '/loyalty/settings', { points_per_dollar: 7 });
  const given = {
    store_url: 'https://shop.example/store',
    show_stock: 'exact',
    cart_merge: 'add',
    abandoned_after_minutes: 90,
    refund_on_cancel: false,
    wrong_amount: 'hold',
    retry_days: [2, 4],
    after_retries: 'cancel',
  };
  expect(await change(shop, given)).toMatchObject({ status: 200, body: { data: given } });
  expect((await change(shop, { show_stock: 'none' })).body.data).toEqual({ ...given, show_stock: 'none' });
  expect((await change(shop, { store_url: null })).body.data).toMatchObject({ store_url: null, cart_merge: 'add' });
  expect((await change(shop, {})).body.data).toEqual(await cached());
  expect((await shop.commerce('GET', '/checkout-settings')).body.data).toEqual(await cached());
  expect((await shop.commerce('GET', '/loyalty/settings')).body.data).toMatchObject({ points_per_dollar: 7 });
  await shop.commerce('PATCH', '/settings', { tax_rounding: 'order' });
  expect(await cached()).toEqual({ ...given, store_url: null, show_stock: 'none' });
  expect(await firstBrokenSeal(server.app.db, shop.company_id)).toBeNull();
});

test.each([
  'https://shop.example',
  'https://shop.example:8443/de/',
  'http://localhost',
  'http://localhost:4000/shop',
  'http://127.0.0.1:4000',
  'http://[::1]:4000',
])('%s may be the address of the storefront', async (store_url) => {
  const shop = await server.company();
  expect((await change(shop, { store_url })).body.data).toMatchObject({ store_url });
});

test.each([
  'shop.example',
  'http://shop.example',
  'http://localhost.example',
  'ftp://localhost',
  'javascript:alert(1)',
  'https://user:secret@shop.example',
  'https://shop.example/?a=1',
  'https://shop.example/#top',
  'https://shop .example',
  'https://',
])('%s may not', async (store_url) => {
  const shop = await server.company();
  expect(await errorsOf(shop, { store_url })).toEqual(['store_url wrong_format']);
  expect((await shop.commerce('GET', '/checkout-settings')).body.data).toEqual(DEFAULTS);
});

test('422 names the failing fields', async () => {
  const shop = await server.company();
  expect(await errorsOf(shop, { show_stock: 'all', cart_merge: 'smaller', abandoned_after_minutes: 14 })).toEqual([
    'abandoned_after_minutes out_of_range',
    'cart_merge not_allowed',
    'show_stock not_allowed',
  ]);
  expect(await errorsOf(shop, { abandoned_after_minutes: 10_081 })).toEqual(['abandoned_after_minutes out_of_range']);
  expect(await errorsOf(shop, { store_url: ' ' })).toEqual(['store_url too_short']);
  for (const abandoned_after_minutes of [15, 10_080]) {
    expect((await change(shop, { abandoned_after_minutes })).body.data).toMatchObject({ abandoned_after_minutes });
  }
});

test('checkout settings need the scopes of settings', async () => {
  const reader = await server.company({ scopes: ['settings:read'] });
  expect((await reader.commerce('GET', '/checkout-settings')).status).toBe(200);
  const refused = await change(reader, { cart_merge: 'add' });
  expect([refused.status, refused.body.error!.details!.required]).toEqual([403, 'settings:write']);
  const without = await server.company({ scopes: ['orders:read'] });
  expect((await without.commerce('GET', '/checkout-settings')).status).toBe(403);
});

test('days of retries are ascending', async () => {
  const shop = await server.company();
  expect(await errorsOf(shop, { retry_days: [3, 1] })).toEqual(['retry_days out_of_range']);
  expect((await change(shop, { retry_days: [2, 9], after_retries: 'skip' })).body.data).toMatchObject({
    retry_days: [2, 9],
    after_retries: 'skip',
  });
});
