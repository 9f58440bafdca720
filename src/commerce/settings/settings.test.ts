import { describe, expect, test } from 'vitest';
import { firstBrokenSeal } from '../../access/audit.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer();

const change = (shop: TestCompany, fields: object) => shop.commerce('PATCH', '/settings', fields);

function errorsOf({ status, body }: Awaited<ReturnType<typeof change>>): string[] {
  expect(status).toBe(422);
  const fields = body.error!.details!.fields as unknown as { field: string; code: string }[];
  return fields.map(({ field, code }) => `${field} ${code}`).sort();
}

async function prepare(shop: TestCompany) {
  const product = { name: 'Mug', price: 10, stock_qty: 9 };
  const product_id = (await shop.commerce('POST', '/products', product)).body.data!.id;
  const customer_id = (await shop.commerce('POST', '/customers', { email: 'a@example.com' })).body.data!.id;
  return async () => {
    const response = await shop.commerce('POST', '/orders', {
      customer_id,
      items: [{ product_id, qty: 1 }],
      shipping_address: '1 Main St',
      shipping_city: 'X',
      shipping_zip: '10115',
    });
    expect(response.status).toBe(201);
    return response.body.data!;
  };
}

test('settings are read and changed in part; the settings of other parts stay', async () => {
  const shop = await server.company({ name: 'Mugs', currency: 'EUR', timeZone: 'Europe/Berlin' });
  const before = {
    name: 'Mugs',
    currency: 'EUR',
    time_zone: 'Europe/Berlin',
    country: 'US',
    tax_rounding: 'line',
    prices_include_tax: false,
    address: '',
    tax_number: '',
  };
  expect(await shop.commerce('GET', '/settings')).toMatchObject({ status: 200, body: { data: before } });
  await shop.commerce('PATCH', '/loyalty/settings', { points_per_dollar: 7 });
  const fields = { name: ' Cups ', country: 'germany', tax_rounding: 'order', prices_include_tax: true };
  const after = { ...before, ...fields, name: 'Cups', country: 'DE' };
  expect(await change(shop, fields)).toMatchObject({ status: 200, body: { data: after } });
  expect((await change(shop, { time_zone: 'America/New_York' })).body.data).toEqual({
    ...after,
    time_zone: 'America/New_York',
  });
  expect((await change(shop, {})).body.data).toMatchObject({ tax_rounding: 'order', prices_include_tax: true });
  expect((await shop.commerce('GET', '/loyalty/settings')).body.data).toMatchObject({ points_per_dollar: 7 });
  expect(await firstBrokenSeal(server.app.db, shop.company_id)).toBeNull();
});

test("the seller's address and tax id are kept line by line, and cleared by null", async () => {
  const shop = await server.company();
  const seller = { address: ' Main St 1\n97301 Salem ', tax_number: 'US 12-3456789' };
  expect((await change(shop, seller)).body.data).toMatchObject({ ...seller, address: 'Main St 1\n97301 Salem' });
  expect((await change(shop, { tax_rounding: 'order' })).body.data).toMatchObject({ tax_number: seller.tax_number });
  expect((await change(shop, { tax_number: null })).body.data).toMatchObject({
    address: 'Main St 1\n97301 Salem',
    tax_number: '',
  });
  expect(errorsOf(await change(shop, { address: 'x'.repeat(501) }))).toEqual(['address too_long']);
});

test('orders placed after the response use the new settings', async () => {
  const shop = await server.company();
  const order = await prepare(shop);
  await shop.commerce('POST', '/tax-rules', { name: 'VAT', country: 'DE', rate: 0.19 });
  expect(await order()).toMatchObject({ shipping_country: 'US', tax: 0, total: 10 });
  await change(shop, { country: 'DE' });
  expect(await order()).toMatchObject({ shipping_country: 'DE', tax: 1.9, total: 11.9 });
  await change(shop, { prices_include_tax: true });
  expect(await order()).toMatchObject({ tax: 1.6 });
});

describe('the currency', () => {
  test('can change until the first order', async () => {
    const shop = await server.company();
    const order = await prepare(shop);
    expect((await change(shop, { currency: 'GBP' })).body.data).toMatchObject({ currency: 'GBP' });
    expect(await order()).toMatchObject({ currency: 'GBP', total: 10 });
    expect(errorsOf(await change(shop, { currency: 'EUR' }))).toEqual(['currency fixed']);
    expect((await change(shop, { currency: 'GBP', name: 'x' })).status).toBe(200);
  });

  test('keeps its number of decimals from the first price on', async () => {
    const shop = await server.company();
    expect((await change(shop, { currency: 'JPY' })).status).toBe(200);
    expect((await shop.commerce('POST', '/products', { name: 'Mug', price: 1.5 })).status).toBe(422);
    await prepare(shop);
    expect(errorsOf(await change(shop, { currency: 'USD' }))).toEqual(['currency fixed']);
    expect((await change(shop, { currency: 'KRW' })).status).toBe(200);
  });

  test('keeps its number of decimals while a custom field has amounts', async () => {
    const shop = await server.company();
    const field = { on: 'customer', key: 'limit', name: 'Limit', type: 'money' };
    const { id } = (await shop.commerce('POST', '/custom-fields', field)).body.data!;
    expect(errorsOf(await change(shop, { currency: 'JPY' }))).toEqual(['currency fixed']);
    await shop.commerce('DELETE', `/custom-fields/${id}`);
    expect((await change(shop, { currency: 'JPY' })).status).toBe(200);
  });
});

test('422 names the failing fields, and nothing is changed', async () => {
  const shop = await server.company();
  const wrong = { name: 'New', currency: 'XQQ', time_zone: 'Mars/Olympus', country: 'Atlantis' };
  expect(errorsOf(await change(shop, wrong))).toEqual(['country unknown', 'currency unknown', 'time_zone unknown']);
  expect(errorsOf(await change(shop, { time_zone: '+01:00' }))).toEqual(['time_zone unknown']);
  expect(errorsOf(await change(shop, { name: ' ', currency: 'eur', tax_rounding: 'item' }))).toEqual([
    'currency wrong_format',
    'name too_short',
    'tax_rounding not_allowed',
  ]);
  expect((await shop.commerce('GET', '/settings')).body.data).toMatchObject({ name: 'Test shop', currency: 'USD' });
});

test('scopes', async () => {
  const reader = await server.company({ scopes: ['settings:read'] });
  expect((await reader.commerce('GET', '/settings')).status).toBe(200);
  expect((await change(reader, {})).status).toBe(403);
  const other = await server.company({ scopes: ['orders:read'] });
  expect((await other.commerce('GET', '/settings')).status).toBe(403);
});
