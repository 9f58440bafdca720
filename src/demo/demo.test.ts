import { describe, expect, test } from 'vitest';
import { checkInvariants } from '../invariants.ts';
import { testServer } from '../testing/harness.ts';
import { CATALOGUE } from './catalogue.ts';
import { inventOrders } from './orders.ts';
import { inventPeople } from './people.ts';
import { seededRandom } from './random.ts';
import { type DemoShop, firstStart, makeDemoShop } from './service.ts';

const server = testServer({ described: true });

function invent() {
  const random = seededRandom(7);
  const people = inventPeople(random, 40);
  return { people, orders: inventOrders(random, people, 150) };
}

describe('the demo shop', () => {
  let demo: DemoShop;

  async function commerce(path: string) {
    return server.request('GET', `/commerce/v1${path}`, { headers: { 'x-api-key': demo.key } });
  }

  function marketing() {
    return { authorization: `Bearer ${demo.key}`, 'x-company-id': String(demo.ids.company_id) };
  }

  async function untilIdle(): Promise<void> {
    for (let done = 1; done > 0; ) {
      done = 0;
      for (const worker of server.app.workers) done += await worker.runOnce();
    }
  }

  test('a start that fails half way leaves nothing, and the next one makes it', async () => {
    const { db } = server.app;
    const dying = { ...server.app, db: { ...db } };
    dying.db.tx = (work) =>
      db.tx(async (tx) => {
        await work(tx);
        throw new Error('killed');
      });
    await expect(firstStart(dying, { empty: false, origin: server.origin })).rejects.toThrow('killed');
    expect(await server.rows('select company_id from companies union all select 1 from installation')).toEqual([]);

    const made = await firstStart(server.app, { empty: false, origin: server.origin });
    expect(made).not.toBeNull();
    demo = made!;
  });

  test('is made once', async () => {
    expect(await firstStart(server.app, { empty: false, origin: server.origin })).toBeNull();
    expect(await makeDemoShop(server.app, server.origin)).toBeNull();
  });

  test('subscribes only customers who accept marketing', async () => {
    const consents = await server.rows(`
      select distinct u.accepts_marketing, c.email_consent, c.email_consent_source as source
      from customers u join contacts c on c.company_id = u.company_id and c.external_id = u.id::text order by 1`);
    expect(consents).toEqual([
      { accepts_marketing: false, email_consent: 'never', source: 'shop' },
      { accepts_marketing: true, email_consent: 'subscribed', source: 'shop' },
    ]);
  });

  test('violates no invariant', async () => {
    expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
  });

  test('sells products with pictures of its own, on no other host', async () => {
    const { body } = await commerce('/products?per_page=100');
    expect(body.data).toHaveLength(CATALOGUE.length);
    for (const product of body.data!) {
      const url = String(product.images![0]!.url);
      expect(url).toMatch(new RegExp(`^${server.origin}/demo/images/`));
      const picture = await server.request('GET', new URL(url).pathname);
      expect(picture.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
      expect(String(picture.body)).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
    }
    expect((await server.request('GET', '/demo/images/none.svg')).status).toBe(404);
    expect((await server.request('GET', '/demo/images/..%2Fsecret.svg')).status).toBe(404);
  });

  test('has a storefront with a key of the shop', async () => {
    const page = await server.request('GET', '/shop/');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    for (const name of ['shop.js', 'shop.css']) expect((await server.request('GET', `/shop/${name}`)).status).toBe(200);
    for (const name of ['server.ts', '..%2FREADME.md']) {
      expect((await server.request('GET', `/shop/${name}`)).status).toBe(404);
    }
    const { url, key, facets } = (await server.request('GET', '/shop/config.json')).body;
    expect([url, facets]).toEqual(['', expect.arrayContaining(['category'])]);
    const headers = { 'x-store-key': key, origin: server.origin };
    const { data } = (await server.request('GET', '/store/v1/shop', { headers })).body;
    expect(data!.payment_methods).toMatchObject([{ kind: 'bank_transfer' }, { kind: 'cash_on_delivery' }]);
  });

  test('sells variants, and one of them is sold out', async () => {
    const { body } = await commerce('/products/roastery-t-shirt');
    expect(body.data).toMatchObject({ variant_count: 12, price: 28, price_max: 30 });
    const variants = (await commerce(`/products/${body.data!.id}/variants?per_page=100`)).body.data! as {
      title: string;
      stock_qty: number;
    }[];
    expect(variants.find(({ title }) => title === 'Fern / S')!.stock_qty).toBe(0);
    const [sold] = await server.rows<{ lines: number }>(
      'select count(*)::int as lines from order_items i join products p using (company_id) where p.id = i.product_id and p.variant_of is not null',
    );
    expect(sold!.lines).toBeGreaterThan(10);
  });

  test('has collections, and a second location with stock of its own', async () => {
    // Rules are applied once all transactions have ended that were under way, those of other companies, too.
    const collections = async () => {
      await untilIdle();
      return (await commerce('/collections')).body.data! as { slug: string; status: string; product_count: number }[];
    };
    await expect
      .poll(async () => (await collections()).map(({ status }) => status), { timeout: 60_000 })
      .toEqual(['ready', 'ready']);
    const counts = (await collections()).map((one) => [one.slug, one.product_count]);
    expect(counts).toEqual([
      ['small-presents', CATALOGUE.filter(({ price }) => price < 13).length],
      ['your-first-pour-over', 4],
    ]);
    const cheap = await commerce('/products?collection=small-presents&per_page=1');
    expect(cheap.body.data![0]).toMatchObject({ slug: 'paper-filters' });
    const locations = (await commerce('/locations')).body.data! as { id: number; name: string; online: boolean }[];
    expect(locations.map(({ name, online }) => [name, online])).toEqual([
      [expect.any(String), true],
      ['Shop counter', false],
    ]);
    const stock = await commerce(`/inventory?location_id=${locations[1]!.id}&per_page=100`);
    expect(stock.body.data!.length).toBeGreaterThan(0);
  });

  test('has a product that is sold out and one that runs out', () => {
    expect(CATALOGUE.some(({ stock }) => stock === 0)).toBe(true);
    expect(CATALOGUE.some(({ stock }) => stock > 0 && stock < 10)).toBe(true);
    expect(new Set(CATALOGUE.map(({ slug }) => slug)).size).toBe(CATALOGUE.length);
  });

  test('has orders of all kinds over 90 days, newest last placed', async () => {
    const { body } = await commerce('/orders?per_page=100');
    expect(body.meta!.pagination!.total).toBe(150);
    const moments = [...body.data!].map((order) => new Date(String(order.created_at)).getTime());
    expect(moments).toEqual(moments.toSorted((a, b) => b - a));
    for (const status of ['pending', 'processing', 'shipped', 'delivered', 'cancelled']) {
      expect((await commerce(`/orders?status=${status}&per_page=1`)).body.meta!.pagination!.total).toBeGreaterThan(0);
    }
    const [oldest] = await server.rows<{ days: number }>(
      'select extract(epoch from $1 - min(created_at)) / 86400 as days from orders',
      [server.clock.now()],
    );
    expect(Number(oldest!.days)).toBeGreaterThan(80);
    expect(Number(oldest!.days)).toBeLessThanOrEqual(90);
  });

  test('nothing happens before its time: no customer orders before joining, no order moves before it is placed', async () => {
    const { people, orders } = invent();
    for (const { customer, hoursAgo, moves } of orders) {
      expect(people[customer]!.joinedDaysAgo * 24).toBeGreaterThan(hoursAgo);
      const moments = [hoursAgo, ...moves.map((move) => move.hoursAgo)];
      expect(moments).toEqual(moments.toSorted((a, b) => b - a));
    }
  });

  test('has a campaign that went to everybody on the list, and one that waits for its day', async () => {
    await server.app.versions.refresh();
    await untilIdle();
    const { body } = await server.request('GET', '/marketing/v1/campaigns', { headers: marketing() });
    const [later, sent] = [...body.campaigns!];
    expect(sent).toMatchObject({ name: 'New harvest', status: 'sent' });
    expect(sent!.counts!.sent).toBe(sent!.recipients);
    expect(sent!.recipients).toBeGreaterThan(20);
    expect(later).toMatchObject({ name: 'For regulars', status: 'scheduled' });
    const { body: segments } = await server.request('GET', '/marketing/v1/segments', { headers: marketing() });
    const path = `/marketing/v1/segments/${segments.segments![0]!.segment_id}`;
    const { body: regulars } = await server.request('GET', path, { headers: marketing() });
    expect(regulars.count).toBeGreaterThan(3);
    const failed = await server.rows("select reason from messages where status <> 'sent'");
    expect(failed).toEqual([]);
  });

  test.each([
    ['Portland, where nothing is taxed', { shipping_state: 'OR', shipping_zip: '97205' }, 'Standard, 3 to 5 days', []],
    [
      'Manhattan, with the tax of the city',
      { shipping_state: 'NY', shipping_zip: '10003' },
      'Standard, 2 to 3 days',
      ['New York sales tax 0.04', 'New York City sales tax 0.045'],
    ],
    ['Hawaii', { shipping_state: 'HI', shipping_zip: '96813' }, 'Air mail, 5 to 9 days', ['Hawaii sales tax 0.04']],
    [
      'Berlin, where coffee is taxed less than kettles and what sends them',
      { shipping_country: 'DE', shipping_zip: '10119' },
      'International, 6 to 10 days',
      ['VAT DE 7 % 0.07', 'VAT DE 19 % 0.19'],
    ],
    ['Tokyo', { shipping_country: 'JP', shipping_zip: '100-0001' }, 'International, 10 to 20 days', []],
  ] as const)('ships to %s', async (_place, address, method, taxes) => {
    const idOf = async (slug: string) => Number((await commerce(`/products/${slug}`)).body.data!.id);
    const placed = await server.request('POST', '/commerce/v1/orders', {
      headers: { 'x-api-key': demo.key },
      body: {
        customer_id: demo.ids.customer_id,
        items: [
          { product_id: await idOf('earl-grey'), qty: 1 },
          { product_id: await idOf('linen-tea-towel'), qty: 1 },
        ],
        shipping_address: '1 Main',
        shipping_city: 'X',
        ...address,
      },
    });
    const { shipping_method, shipping, tax_lines } = placed.body.data!;
    expect(shipping_method).toBe(method);
    expect(shipping).toBeGreaterThan(0);
    expect(tax_lines.map((line: { name: string; rate: number }) => `${line.name} ${line.rate}`)).toEqual(taxes);
  });

  test('knows the taxes of the states and of the European Union', async () => {
    const { body } = await commerce('/tax-rules?per_page=100');
    const rules = body.data! as { country: string; state: string | null; tax_class: string | null }[];
    expect(new Set(rules.flatMap(({ state }) => state ?? [])).size).toBe(46);
    expect(new Set(rules.filter(({ state }) => state === null).map(({ country }) => country)).size).toBe(27);
  });

  test('is paid by bank transfer or on delivery', async () => {
    const { body } = await commerce('/payment-methods');
    expect(body.data).toMatchObject([
      { kind: 'bank_transfer', places: 'when_paid', active: true },
      { kind: 'cash_on_delivery', places: 'at_once', active: true },
      { kind: 'cash', places: 'at_once', active: true, staff_only: true },
    ]);
  });

  test('an order of today starts the flow that thanks for it, and those of the past start none', async () => {
    await server.app.versions.refresh();
    await untilIdle();
    const headers = marketing();
    const runs = () => server.request('GET', `/marketing/v1/flows/${demo.ids.flow_id}/runs`, { headers });
    const before = (await runs()).body.pagination!.total!;
    expect(before).toBeLessThan(20);
    const placed = await server.request('POST', '/commerce/v1/orders', {
      headers: { 'x-api-key': demo.key },
      body: {
        customer_id: demo.ids.customer_id,
        items: [{ product_id: demo.ids.product_id, qty: 1 }],
        shipping_address: '1 Main',
        shipping_city: 'Portland',
        shipping_state: 'OR',
        shipping_zip: '97205',
      },
    });
    await untilIdle();
    expect((await runs()).body.pagination!.total).toBe(before + 1);
    const mail = await server.request('GET', '/marketing/v1/mailbox/latest?to=nobody@example.com', { headers });
    expect(mail.status).toBe(404);
    const latest = await server.request('GET', '/marketing/v1/mailbox/latest', { headers });
    expect(latest.body.subject).toBe(`We have received your order ${placed.body.data!.id}`);
    expect(String(latest.body.text)).toContain('1 × Morning Ridge Espresso');
    const own = await server.request('GET', `/marketing/v1/mailbox/latest?to=${latest.body.to}`, { headers });
    expect(own.body).toEqual(latest.body);
  });

  test('left carts start the flow that reminds of them', async () => {
    await untilIdle();
    const runs = await server.rows<{ url: string }>(
      `select e.data ->> 'recover_url' as url from flow_runs r join events e using (company_id, event_id) where e.event_type = 'cart_abandoned'`,
    );
    expect(runs.length).toBeGreaterThan(0);
    for (const { url } of runs) expect(url).toMatch(new RegExp(`^${server.origin}/shop/\\?recover=`));
  });

  test('comes out the same each time', () => {
    expect(invent()).toEqual(invent());
  });
});
