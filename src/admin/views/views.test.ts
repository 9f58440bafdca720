import { beforeAll, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { type TestPerson, testPerson } from '../../testing/people.ts';

const server = testServer();
let shop: TestCompany;
let other: TestCompany;
let ann: TestPerson;
let bob: TestPerson;

beforeAll(async () => {
  shop = await server.company();
  other = await server.company();
  ann = await testPerson(server, { [shop.company_id]: 'viewer', [other.company_id]: 'owner' });
  bob = await testPerson(server, { [shop.company_id]: 'owner' });
});

const save = (person: TestPerson, body: object, company = shop) =>
  person.ask('POST', `/${company.company_id}/views`, { list: 'orders', ...body });
const names = async (person: TestPerson, list = 'orders', company = shop) =>
  (await person.ask('GET', `/${company.company_id}/views?list=${list}`)).body.views.map(
    (one: { name: string }) => one.name,
  );

test('a view is saved, replaced under its name, listed by name and deleted, only by its owner and only in its company', async () => {
  const { status, body } = await save(ann, { name: ' Waiting ', search: 'status=pending' });
  expect([status, body]).toEqual([200, { id: body.id, list: 'orders', name: 'Waiting', search: 'status=pending' }]);
  await save(ann, { name: 'abroad', search: 'is_subscription=true' });
  await save(ann, { list: 'products', name: 'Tea', search: 'category=tea' });
  expect((await save(ann, { name: 'Waiting', search: 'status=processing' })).body).toMatchObject({
    id: body.id,
    search: 'status=processing',
  });
  expect(await names(ann)).toEqual(['abroad', 'Waiting']);
  expect(await names(ann, 'products')).toEqual(['Tea']);
  expect(await names(ann, 'orders', other)).toEqual([]);
  expect(await names(bob)).toEqual([]);
  expect((await bob.ask('DELETE', `/${shop.company_id}/views/${body.id}`)).status).toBe(404);
  expect((await ann.ask('DELETE', `/${other.company_id}/views/${body.id}`)).status).toBe(404);
  expect((await ann.ask('DELETE', `/${shop.company_id}/views/${body.id}`)).body.name).toBe('Waiting');
  expect(await names(ann)).toEqual(['abroad']);
});

test.each([{ name: '' }, { name: 'x', search: 'a'.repeat(2_001) }, { name: 'x', search: '', list: 'Orders!' }])(
  'refuses %o',
  async (body) => {
    expect((await save(bob, body)).status).toBe(400);
  },
);

test('of a list there are at most 50, also when they are saved at the same moment', async () => {
  const saveNumber = (n: number) => save(bob, { list: 'customers', name: `View ${n}`, search: '' });
  for (let n = 0; n < 47; n++) await saveNumber(n);
  const saved = await Promise.all(Array.from({ length: 8 }, (_, n) => saveNumber(47 + n)));
  expect(saved.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 400, 400, 400, 400, 400]);
  expect((await names(bob, 'customers')).length).toBe(50);
});

test('the views of a former member are deleted', async () => {
  const carl = await testPerson(server, { [shop.company_id]: 'viewer' });
  await save(carl, { name: 'Mine', search: '' });
  expect((await bob.ask('DELETE', `/${shop.company_id}/members/${carl.id}`)).status).toBe(200);
  expect(await server.rows('select 1 from saved_views where person_id = $1', [carl.id])).toEqual([]);
});
