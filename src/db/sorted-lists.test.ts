import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { rounds } from '../testing/random/seed.ts';
import { recordStatements } from '../testing/statements.ts';

const server = testServer();
const ROWS = 12_000;
let shop: TestCompany;

interface Product {
  id: number;
  name: string;
  price: number;
  stock: number;
  archived: boolean;
}
let products: Product[];
let contacts: { id: number; email: string | null; status: string }[];

/** Its records lie among those of another company. */
beforeAll(async () => {
  shop = await server.company();
  const other = await server.company();
  for (const { company_id: company } of [shop, other]) {
    await server.rows(
      `insert into products (company_id, name, slug, price, search, in_stock, archived_at, created_at, updated_at)
       select $1, (array['Äpfel', 'apple', 'Birne', 'Zimt'])[1 + n % 4] || ' ' || n / 7 % 900, 'p' || n, n * 7919 % 500,
         (array['apfel', 'apple', 'birne', 'zimt'])[1 + n % 4] || ' ' || n / 7 % 900 || ' thing', n % 5 > 0,
         case when n % 40 = 0 then now() end, now(), now()
       from generate_series(1, $2::int) n`,
      [company, ROWS],
    );
    await server.rows(
      'insert into product_stock select company_id, id, case when in_stock then 1 + id * 31 % 77 else 0 end from products where company_id = $1',
      [company],
    );
    await server.rows(
      `insert into contacts (company_id, external_id, email, search, email_consent, created_at, updated_at)
       select $1, n, case when n % 9 > 0 then (n::bigint * 7919 % 100003) || '-' || n || '@example.com' end, '',
         case when n % 3 = 0 then 'unsubscribed' else 'subscribed' end, now(), now()
       from generate_series(1, $2::int) n`,
      [company, ROWS],
    );
  }
  await server.rows("select fold_deltas('counter')");
  await server.rows('vacuum analyze products, product_stock, contacts');
  products = await server.rows<Product>(
    `select p.id::int, left(search, length(name)) as name, price::int, stock_qty as stock, archived_at is not null as archived
     from products p join product_stock s on s.product_id = p.id where p.company_id = $1`,
    [shop.company_id],
  );
  contacts = await server.rows('select id::int, email, status from contacts where company_id = $1', [shop.company_id]);
});

type Key = string | number | null;

/** As PostgreSQL orders: null after everything, equal keys by the id, descending as the mirror of ascending. */
function sorted<Row extends { id: number }>(rows: Row[], key: (row: Row) => Key, direction: string): number[] {
  const compare = (a: Key, b: Key): number => (a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1);
  const ids = rows.toSorted((a, b) => compare(key(a), key(b)) || a.id - b.id).map(({ id }) => id);
  return direction === 'desc' ? ids.toReversed() : ids;
}

const place = {
  direction: fc.constantFrom('asc', 'desc'),
  per_page: fc.constantFrom(1, 7, 100),
  /** Where in the list the page lies, past its end too. */
  at: fc.double({ min: 0, max: 1.05, noNaN: true }),
};

function nameOf(key: string, direction: string): string {
  return key === 'age' ? { asc: 'oldest', desc: 'newest' }[direction]! : `${key}_${direction}`;
}

test('any page of products in any order under any filters is what sorting all of them gives', async () => {
  const query = fc.record(
    {
      ...place,
      key: fc.constantFrom('name', 'price', 'stock', 'age'),
      in_stock: fc.boolean(),
      archived: fc.boolean(),
      search: fc.constantFrom('apfel', 'ap', 'zz', 'thing 44'),
    },
    { requiredKeys: ['at', 'direction', 'per_page', 'key'] },
  );
  await fc.assert(
    fc.asyncProperty(query, async ({ at, direction, per_page, key, in_stock, archived = false, search }) => {
      const wanted = sorted(
        products.filter(
          (one) =>
            one.archived === archived &&
            (in_stock === undefined || one.stock > 0 === in_stock) &&
            (search ?? '').split(' ').every((word) => `${one.name} thing`.includes(word)),
        ),
        (one) => (key === 'age' ? one.id : one[key as 'name' | 'price' | 'stock']),
        direction,
      );
      const page = 1 + Math.floor((at * wanted.length) / per_page);
      const given = { in_stock, archived, search, page, per_page, sort: nameOf(key, direction) };
      const params = Object.entries(given).filter(([, value]) => value !== undefined);
      const { body } = await shop.commerce('GET', `/products?${params.map((pair) => pair.join('=')).join('&')}`);
      expect(body.meta.pagination.total).toBe(wanted.length);
      expect(body.data.map(({ id }: Product) => id)).toEqual(wanted.slice((page - 1) * per_page, page * per_page));
    }),
    { numRuns: rounds(30, 120) },
  );
});

test('any page of contacts by their addresses is what sorting all of them gives', async () => {
  const query = fc.record(
    { ...place, key: fc.constantFrom('email', 'age'), status: fc.constantFrom('subscribed', 'unsubscribed') },
    { requiredKeys: ['at', 'direction', 'per_page', 'key'] },
  );
  await fc.assert(
    fc.asyncProperty(query, async ({ at, direction, per_page, key, status }) => {
      const wanted = sorted(
        contacts.filter((one) => status === undefined || one.status === status),
        (one) => (key === 'age' ? one.id : one.email),
        direction,
      );
      const page = 1 + Math.floor((at * wanted.length) / per_page);
      const filter = status === undefined ? '' : `&status=${status}`;
      const path = `/contacts?page=${page}&per_page=${per_page}&sort=${nameOf(key, direction)}${filter}`;
      const { body } = await shop.marketing('GET', path);
      expect(body.pagination.total).toBe(wanted.length);
      const ids = body.contacts.map(({ contact_id }: { contact_id: number }) => contact_id);
      expect(ids).toEqual(wanted.slice((page - 1) * per_page, page * per_page));
    }),
    { numRuns: rounds(15, 60) },
  );
});

test('contacts of a tag, a list or a segment are sorted too, and a search is not', async () => {
  const list = (await shop.marketing('POST', '/lists', { name: 'News' })).body.list_id;
  const emails = ['zoe@example.net', 'Ann@example.net', 'mia@example.net'];
  for (const email of emails) await shop.marketing('POST', '/contacts', { email, tags: ['sorted'] });
  await shop.marketing('POST', `/lists/${list}/contacts`, { emails });
  const rules = [{ field: 'tags', comparison: 'equals', value: 'sorted' }];
  const conditions = { operator: 'and', rules };
  const segment = await shop.marketing('POST', '/segments', { name: 'Net', conditions });
  for (const filter of ['tag=sorted', `list_id=${list}`, `segment_id=${segment.body.segment_id}`]) {
    const { body } = await shop.marketing('GET', `/contacts?sort=email_asc&${filter}`);
    expect([filter, body.contacts?.map(({ email }: { email: string }) => email)]).toEqual([
      filter,
      ['ann@example.net', 'mia@example.net', 'zoe@example.net'],
    ]);
  }
  expect((await shop.marketing('GET', '/contacts?sort=email_asc&search=ann')).status).toBe(400);
  expect((await shop.marketing('GET', '/contacts?sort=newest&search=ann')).status).toBe(200);
});

test('promo codes, campaigns and subscriptions are sorted by the documented columns', async () => {
  for (const [code, ends_at] of [
    ['MAY', '2027-05-31T00:00:00Z'],
    ['always', null],
    ['APRIL', '2027-04-30T00:00:00Z'],
  ]) {
    const made = await shop.commerce('POST', '/promo-codes', { code, type: 'percent', value: 5, ends_at });
    expect(made.status).toBe(201);
  }
  const codes = async (sort: string) =>
    (await shop.commerce('GET', `/promo-codes?sort=${sort}`)).body.data.map(({ code }: { code: string }) => code);
  expect(await codes('code_asc')).toEqual(['always', 'APRIL', 'MAY']);
  expect(await codes('ends_asc')).toEqual(['APRIL', 'MAY', 'always']);
  expect(await codes('ends_desc')).toEqual(['MAY', 'APRIL', 'always']);
  expect(await codes('oldest')).toEqual(['MAY', 'always', 'APRIL']);

  for (const name of ['beta', 'Alpha', 'gamma'])
    await shop.marketing('POST', '/campaigns', { name, type: 'email', subject: 'S', content: '<p>x</p>' });
  await server.rows("update campaigns set scheduled_at = '2027-01-01' where name = 'beta'");
  await server.rows("update campaigns set scheduled_at = '2027-02-01' where name = 'gamma'");
  const names = async (sort: string) =>
    (await shop.marketing('GET', `/campaigns?sort=${sort}`)).body.campaigns.map(({ name }: { name: string }) => name);
  expect(await names('name_asc')).toEqual(['Alpha', 'beta', 'gamma']);
  expect(await names('scheduled_asc')).toEqual(['beta', 'gamma', 'Alpha']);
  expect(await names('scheduled_desc')).toEqual(['gamma', 'beta', 'Alpha']);

  const customer = (await shop.commerce('POST', '/customers', { email: 'ann@example.com' })).body.data.id;
  await server.rows(
    `insert into subscriptions (company_id, customer_id, product_id, frequency_id, quantity, price, status, anchor, next_billing_date,
       shipping_address, shipping_city, shipping_state, shipping_zip, shipping_country, created_at, updated_at)
     select $1, $2, (select min(id) from products where company_id = $1), (select min(id) from subscription_frequencies where company_id = $1),
       1, 100, case when day is null then 'expired' else 'active' end, '2027-01-01', day, '', '', '', '', 'US', now(), now()
     from unnest(array['2027-03-01', null, '2027-01-05', '2027-02-01']::date[]) day`,
    [shop.company_id, customer],
  );
  const days = async (query: string) =>
    (await shop.commerce('GET', `/subscriptions?${query}`)).body.data.map(
      (one: { next_billing_date: string | null }) => one.next_billing_date,
    );
  const soonest = ['2027-01-05', '2027-02-01', '2027-03-01'];
  expect(await days('sort=next_renewal_asc')).toEqual([...soonest, null]);
  expect(await days('sort=next_renewal_asc&status=active')).toEqual(soonest);
  expect(await days(`sort=next_renewal_desc&customer_id=${customer}&per_page=2&page=2`)).toEqual(
    soonest.slice(0, 2).toReversed(),
  );
  expect(await days('sort=oldest&per_page=3')).toEqual(['2027-03-01', null, '2027-01-05']);
});

test('customers are listed from the oldest on, all of them and those that a search finds', async () => {
  const company = await server.company();
  for (const n of [1, 2, 3, 4, 5]) await company.commerce('POST', '/customers', { email: `ada${n}@example.com` });
  for (const filter of ['', '&search=ada', '&search=ad']) {
    const { body } = await company.commerce('GET', `/customers?sort=oldest&per_page=2&page=2${filter}`);
    expect([body.meta.pagination.total, body.data.map(({ email }: { email: string }) => email)]).toEqual([
      5,
      ['ada3@example.com', 'ada4@example.com'],
    ]);
  }
});

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  Plans?: Plan[];
}

function indexesOf(plan: Plan): string[] {
  const own = plan['Node Type'] === 'Sort' ? ['a sort'] : plan['Index Name'] === undefined ? [] : [plan['Index Name']];
  return [...own, ...(plan.Plans ?? []).flatMap(indexesOf)];
}

test.each([
  ['commerce', '/products?sort=price_desc', 'products_shown_price'],
  ['commerce', '/products?sort=price_asc&in_stock=true&page=50', 'products_shown_price'],
  ['commerce', '/products?sort=price_asc&archived=true', 'products_shown_price'],
  ['commerce', '/products?sort=name_asc', 'products_shown_name'],
  ['commerce', '/products?sort=name_desc&page=460', 'products_shown_name'],
  ['marketing', '/contacts?sort=email_asc', 'contacts_by_email'],
  ['marketing', '/contacts?sort=email_desc&status=unsubscribed&page=190', 'contacts_by_email'],
  ['marketing', '/contacts?sort=oldest&page=300', 'contacts_pkey'],
] as const)('the %s list %s is read in the order of its index', async (api, path, index) => {
  const sent = await recordStatements(async () => expect((await shop[api]('GET', path)).status).toBe(200));
  const { text, values } = sent.find((one) => one.text.includes(' offset '))!;
  const [row] = await server.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (format json) ${text}`, values);
  const indexes = indexesOf(row!['QUERY PLAN'][0].Plan);
  expect(indexes).toContain(index);
  expect(indexes).not.toContain('a sort');
});
