import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { allSlices } from '../work/slices.ts';
import { TestImports } from './testing/imports.ts';
import { purgeImports } from './upkeep.ts';

const server = testServer();
let shop: TestCompany;
let imports: TestImports;

beforeEach(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
});

const FILE = 'email,first name,consent\nann@example.com,Ann,yes\nbob@example.com,Bob,yes\n';
const emails = async () =>
  (await server.rows<{ email: string }>('select email from customers where company_id = $1', [shop.company_id])).length;

/** Returns an import that has written its rows and then failed, as happens when the server has a fault. */
async function failed(): Promise<number> {
  const { id } = await imports.import('csv-customers', FILE);
  await server.rows("update imports set status = 'failed' where company_id = $1 and id = $2", [shop.company_id, id]);
  server.clock.advance(60_000);
  return id;
}

describe('an import that failed on its way', () => {
  test('and is checked again and cancelled can be undone', async () => {
    const id = await failed();
    expect(await imports.check(id)).toMatchObject({ status: 'checked', unchanged: 2 });
    expect(await imports.call('POST', `/imports/${id}/cancel`)).toMatchObject({
      status: 'done',
      undo_until: expect.any(String),
    });
    expect(await imports.undo(id)).toMatchObject({ kept: 0 });
    expect(await emails()).toBe(0);
  });

  test('and is checked again and left alone for a day can be undone', async () => {
    const id = await failed();
    await imports.check(id);
    server.clock.advance(25 * 3_600_000);
    await allSlices(purgeImports(server.app.db.chores, server.clock));
    expect(await imports.undo(id)).toMatchObject({ status: 'undone', kept: 0 });
    expect(await emails()).toBe(0);
  });

  test.each([FILE, 'email,first name,consent\nann@example.com,Anna,yes\nbob@example.com,Bob,yes\n'])(
    'and is run again is undone from its first run on',
    async (file) => {
      const id = await failed();
      const data = Buffer.from(file);
      await server.rows('update import_chunks set data = $3 where company_id = $1 and import_id = $2', [
        ...[shop.company_id, id],
        data,
      ]);
      await imports.check(id);
      expect(await imports.run(id)).toMatchObject({ status: 'done', created: 0 });
      expect(await imports.undo(id)).toMatchObject({ status: 'undone', kept: 0 });
      expect(await emails()).toBe(0);
    },
  );
});

test('of many files that begin at the same moment three are open', async () => {
  const made = await Promise.all(
    Array.from({ length: 8 }, () =>
      shop.commerce('POST', '/imports', { format: 'csv-customers', file_name: 'people.csv' }),
    ),
  );
  expect(made.filter(({ status }) => status === 201)).toHaveLength(3);
});

describe('a list that was exported here as CSV', () => {
  const csvOf = async (api: 'commerce' | 'marketing', path: string): Promise<string> => {
    const headers = {
      'x-api-key': shop.key,
      authorization: `Bearer ${shop.key}`,
      'x-company-id': `${shop.company_id}`,
    };
    return (await fetch(`${server.origin}/${api}/v1${path}?format=csv`, { headers })).text();
  };

  test('changes nothing when it is imported again, and makes the same products in an empty company', async () => {
    const images = [{ url: 'https://cdn.example.com/a.jpg?v=1,2' }, { url: 'https://cdn.example.com/b.jpg' }];
    const made = [
      {
        name: '-50 % Sticker',
        description: '=1+1',
        price: 2.5,
        sku: 'S-1',
        stock_qty: 4,
        categories: ['paper', 'sale'],
        barcode: '0400638133393',
        compare_at_price: 3.5,
        cost: 1.25,
        weight_g: 1_200,
        requires_shipping: false,
      },
      { name: 'Mug', price: 12, images },
    ];
    for (const product of made) await shop.commerce('POST', '/products', product);
    const list = await csvOf('commerce', '/products');
    expect(await imports.import('csv-products', list)).toMatchObject({ unchanged: 2, refused: 0 });
    const empty = await server.company();
    await new TestImports(server, empty).import('csv-products', list);
    const { data } = (await empty.commerce('GET', '/products')).body;
    expect(data.find(({ slug }: { slug: string }) => slug === 'mug')).toMatchObject({ price: 12, images });
    expect(data.find(({ sku }: { sku: string }) => sku === 'S-1')).toMatchObject(made[0]!);
  });

  test('brings contacts back with tags, phone numbers and the consent of each channel', async () => {
    const people = [
      { email: 'yes@example.com', phone: '+12133734253', tags: ['vip', 'lab'], consent: { sms: 'subscribed' } },
      { email: 'never@example.com', first_name: '@home', consent: { email: 'never' } },
      { email: 'left@example.com', consent: { email: 'unsubscribed' } },
    ];
    for (const person of people) await shop.marketing('POST', '/contacts', person);
    const list = await csvOf('marketing', '/contacts');
    expect(await imports.import('csv-contacts', list)).toMatchObject({ unchanged: 3, refused: 0 });
    const empty = await server.company();
    await new TestImports(server, empty).import('csv-contacts', list);
    const { contacts } = (await empty.marketing('GET', '/contacts')).body;
    const found = Object.fromEntries(contacts.map((one: { email: string }) => [one.email, one]));
    expect(found).toMatchObject({
      'yes@example.com': {
        phone: '+12133734253',
        tags: ['vip', 'lab'],
        consent: { email: { state: 'subscribed' }, sms: { state: 'subscribed' } },
      },
      'never@example.com': { first_name: '@home', consent: { email: { state: 'never' }, sms: { state: 'never' } } },
      'left@example.com': { consent: { email: { state: 'unsubscribed' } } },
    });
  });
});
