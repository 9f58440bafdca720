import { beforeEach, describe, expect, test } from 'vitest';
import { type TestBody, type TestCompany, testServer } from '../testing/harness.ts';
import { sample, TestImports } from './testing/imports.ts';

const server = testServer({ described: true });
let shop: TestCompany;
let imports: TestImports;

beforeEach(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
});

async function customers(): Promise<Record<string, TestBody>> {
  const { data } = (await shop.commerce('GET', '/customers')).body;
  return Object.fromEntries(data.map((one: TestBody) => [one.email, one]));
}

/** Builds a file with these columns. */
function file(rows: Record<string, string>[]): string {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => header.map((column) => `"${(row[column] ?? '').replaceAll('"', '""')}"`).join(','));
  return `${[header.join(','), ...lines].join('\n')}\n`;
}

describe('a value that stands in another column of its service', () => {
  test('is read from the address and the name that a WooCommerce guest was billed at', async () => {
    await imports.import('woocommerce-customers', sample('woocommerce-customers'), { email_consent: 'never' });
    expect(await customers()).toMatchObject({
      'guest@example.com': {
        first_name: 'Guest',
        last_name: 'Only',
        shipping_address: '9 Low Rd',
        shipping_city: 'New York',
        shipping_state: 'NY',
        shipping_zip: '10001',
        shipping_country: 'US',
      },
      // All parts come from one address, not from both.
      'marie@example.com': { shipping_address: '2 Rue Y, Bat. B', shipping_zip: '75006', shipping_state: '' },
    });
  });

  test('is read from the phone number of a Shopify address', async () => {
    await imports.import('shopify-customers', sample('shopify-customers'));
    expect(await customers()).toMatchObject({
      'ada@example.com': { phone: '+12133734253' },
      'grace@example.com': { phone: '+16175550101' },
    });
    const order = { 'Lineitem name': 'Mug', 'Lineitem price': '5.00', Total: '5.00', Currency: 'USD', Phone: '' };
    const rows = [
      { Name: '#1', Email: 'billed@example.com', 'Billing Phone': "'+12133734254", 'Shipping Phone': '', ...order },
      { Name: '#2', Email: 'shipped@example.com', 'Billing Phone': '', 'Shipping Phone': '+12133734255', ...order },
    ];
    await imports.import('shopify-orders', file(rows));
    expect(await customers()).toMatchObject({
      'billed@example.com': { phone: '+12133734254' },
      'shipped@example.com': { phone: '+12133734255' },
    });
  });
});

test('an order goes to one of its addresses, not to parts of both', async () => {
  const billing = {
    'Billing Street': '1 Main St',
    'Billing City': 'Salem',
    'Billing Zip': "'97301",
    'Billing Province': 'OR',
    'Billing Country': 'US',
  };
  const shipping = { 'Shipping Street': 'Weg 1', 'Shipping City': 'Köln', 'Shipping Country': 'DE' };
  const order = { Email: 'a@example.com', 'Lineitem name': 'Mug', 'Lineitem price': '5.00', Total: '5.00' };
  const rows = [
    { Name: '#1', ...order, ...billing, ...shipping },
    { Name: '#2', ...order, ...billing },
  ];
  await imports.import('shopify-orders', file(rows), { email_consent: 'never' });
  expect((await shop.commerce('GET', '/orders')).body.data).toMatchObject([
    { external_id: '#2', shipping_city: 'Salem', shipping_state: 'OR', shipping_zip: '97301', shipping_country: 'US' },
    { external_id: '#1', shipping_city: 'Köln', shipping_state: '', shipping_zip: '', shipping_country: 'DE' },
  ]);
});

test('an order whose items Shopify took back into stock, or whose money was returned, was cancelled', async () => {
  const order = { Email: 'a@example.com', 'Lineitem name': 'Mug', 'Lineitem price': '5.00', Total: '5.00' };
  const rows = [
    { Name: '#1', ...order, 'Financial Status': 'refunded', 'Fulfillment Status': 'restocked' },
    { Name: '#2', ...order, 'Financial Status': 'refunded', 'Fulfillment Status': 'fulfilled' },
  ];
  await imports.import('shopify-orders', file(rows), { email_consent: 'never' });
  expect((await shop.commerce('GET', '/orders')).body.data).toMatchObject([
    { external_id: '#2', status: 'cancelled' },
    { external_id: '#1', status: 'cancelled' },
  ]);
});

test('who left Mailchimp, or whose address bounced, is known without the time as well', async () => {
  const left: Record<string, string>[] = [
    { 'Email Address': 'a@example.com', UNSUB_TIME: '2021-01-01 00:00:00', UNSUB_REASON: '' },
    { 'Email Address': 'b@example.com', UNSUB_TIME: '', UNSUB_REASON: 'N/A (Unsubscribed by an admin)' },
    { 'Email Address': 'c@example.com', UNSUB_TIME: '', UNSUB_CAMPAIGN_ID: '77' },
  ];
  const cleaned: Record<string, string>[] = [
    { 'Email Address': 'd@example.com', CLEAN_TIME: '', CLEAN_CAMPAIGN_TITLE: 'Spring' },
  ];
  for (const rows of [left, cleaned]) await imports.import('mailchimp', file(rows), { email_consent: 'subscribed' });
  const { contacts } = (await shop.marketing('GET', '/contacts')).body;
  expect(contacts.map(({ email, status }: TestBody) => [email, status]).sort()).toEqual([
    ['a@example.com', 'unsubscribed'],
    ['b@example.com', 'unsubscribed'],
    ['c@example.com', 'unsubscribed'],
    ['d@example.com', 'bounced'],
  ]);
});

describe('a phone number', () => {
  test('that lost its digits in a spreadsheet belongs to no record', async () => {
    const done = await imports.import('csv-customers', 'email,phone\na@example.com,4.91512E+11\nb@example.com,\n', {
      email_consent: 'never',
    });
    expect(await imports.findings(done.id)).toMatchObject([
      { row: 2, field: 'phone', reason: '«4.91512E+11» lost its digits in a spreadsheet' },
    ]);
    // The order is imported without the number, since it matters more.
    const orders = 'Name,Email,Phone,Total,Lineitem name,Lineitem price\n#1,c@example.com,"4,91512E+11",5,Mug,5\n';
    expect(await imports.import('shopify-orders', orders, { email_consent: 'never' })).toMatchObject({ created: 1 });
    expect(await customers()).toMatchObject({ 'c@example.com': { phone: '' } });
    expect(Object.keys(await customers())).toEqual(['c@example.com', 'b@example.com']);
  });

  test('is read without the apostrophe that keeps it a text in a spreadsheet', async () => {
    const contacts = "email,phone,consent\na@example.com,'+12133734253,yes\n";
    await imports.import('csv-contacts', contacts);
    expect((await shop.marketing('GET', '/contacts')).body.contacts).toMatchObject([{ phone: '+12133734253' }]);
  });
});
