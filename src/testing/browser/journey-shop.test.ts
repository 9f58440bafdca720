import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { drawn } from '../../commerce/pictures/testing-pictures.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findingsEverywhere, written } from './browser.ts';
import { findChromium, openTab, PHONE, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journeys of shopkeepers are not tried here\n');
}

const FORTY = 40;
const DAY_MS = 86_400_000;

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;
    let customer: number;
    let tea: number;

    const made = async (at: string, body: object): Promise<number> => {
      const response = await shop.commerce('POST', at, body);
      if (response.status !== 201) throw new Error(`${at}: ${JSON.stringify(response.body)}`);
      return response.body.data.id as number;
    };
    const address = (n: number) => ({
      shipping_address: `${n} Long Lane`,
      shipping_city: 'Oslo',
      shipping_zip: '0150',
      shipping_country: 'NO',
    });

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      cookie = (await testPerson(server, { [shop.company_id]: 'manager' })).cookie.split('=')[1]!;
      tea = await made('/products', { name: 'Sencha', price: 10, stock_qty: 100 });
      customer = await made('/customers', { email: 'ingrid@example.com', first_name: 'Ingrid', last_name: 'Dahl' });
    });

    test('VAT of two countries, a zone and a limited code are set up, and an order by telephone is calculated and placed', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const at = (place: string) => page.goto(`/admin/${shop.company_id}/${place}`);
      const create = async (): Promise<void> => {
        await written(page, () => page.getByRole('button', { name: 'Create' }).click());
        await page.getByText('Created', { exact: true }).first().waitFor();
      };
      for (const [name, country, rate] of [
        ['MVA 25 %', 'Norway', '25'],
        ['VAT NL 21 %', 'NL', '21'],
      ] as const) {
        await at('taxes/new');
        await page.getByLabel('Name').fill(name);
        await page.getByLabel('Rate in percent').fill(rate);
        await page.getByLabel('Country').fill(country);
        await page.getByLabel('Taxes shipping too').check();
        await create();
        await page.getByRole('link', { name }).waitFor();
      }
      await at('shipping/zones/new');
      await page.getByLabel('Name').fill('Nordics');
      await page.getByLabel('Countries').fill('Norway, Sweden');
      await create();
      const zone = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Nordics' }) });
      await zone.getByRole('link', { name: 'Add method' }).click();
      await page.getByLabel('Name').fill('Post');
      await page.getByLabel('Cost').fill('9');
      await create();
      await at('promo-codes/new');
      await page.getByLabel('Code', { exact: false }).first().fill('NORTH');
      await page.getByLabel('Percent', { exact: false }).first().fill('20');
      await page.getByLabel('Minimum subtotal').fill('15');
      await page.getByLabel('Uses per customer').fill('1');
      await create();
      await page.getByRole('heading', { name: 'Promo codes', level: 1 }).waitFor();

      await at('orders');
      await page.getByRole('link', { name: 'New order' }).first().click();
      await page.getByLabel('Add a product').fill('senc');
      await page.getByRole('button', { name: /Sencha/ }).waitFor();
      await page.getByLabel('Add a product').press('Enter');
      await page.getByLabel('Country').fill('Norway');
      const total = (amount: string) => page.getByRole('definition').filter({ hasText: amount });
      // 10.00 and 9.00 for shipping, both taxed with 25 %.
      await total('$23.75').waitFor();
      await page.getByLabel('Promo code').fill('north');
      await page.getByText('The order is too small for this promo code').waitFor();
      await page.getByLabel('Quantity of Sencha').fill('3');
      await total('$41.25').waitFor();
      await page.getByText('MVA 25 %').waitFor();
      await page.getByLabel('Quantity of Sencha').fill('300');
      await page.getByText('There are not enough in stock.').waitFor();
      await page.getByLabel('Quantity of Sencha').fill('3');
      await page.getByRole('button', { name: 'Place order' }).click();
      await page.getByText('a customer, or an e-mail address').waitFor();
      await page.getByLabel('Find the customer').fill('dahl');
      await written(page, () => page.getByRole('button', { name: /Ingrid Dahl/ }).click());
      await page.reload();
      await total('$41.25').waitFor();
      await page.getByRole('button', { name: 'Place order' }).click();
      await page.getByText('street and number', { exact: true }).waitFor();
      await page.getByLabel('Street and number').fill('Storgata 1');
      await page.getByLabel('Postal code').fill('0150');
      await page.getByLabel('City').fill('Oslo');
      await total('$41.25').waitFor();
      // Pale while it is calculated again.
      await expect.poll(() => page.locator('[class*=_stale_]').count()).toBe(0);
      expect(await findingsEverywhere(tab)).toEqual([]);
      await written(page, () => page.getByRole('button', { name: 'Place order' }).click());
      await page.getByRole('heading', { name: /^Order #/ }).waitFor();
      const { data } = (await shop.commerce('GET', `/customers/${customer}/orders`)).body;
      expect(data).toMatchObject([{ total: 41.25, discount: 6, shipping: 9, promo_code: 'NORTH', tax: 8.25 }]);
      expect(problems).toEqual([]);
    });

    test('a product with a picture is created, found by search, changed with its price history, and archived', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/products/new`);
      await page.getByLabel('Name').fill('Copper kettle');
      await page.getByLabel(/^Price(?! before)/).fill('10000');
      await page.getByLabel(/^Stock/).fill('12');
      await shop.commerce('POST', '/categories', { name: 'Kettles & pots', slug: 'kettles' });
      await page.getByRole('searchbox', { name: 'Categories' }).fill('pots');
      await page.getByRole('button', { name: /^Kettles & pots/ }).click();
      await page.getByRole('searchbox', { name: 'Categories' }).fill('Copper ware');
      await page.getByRole('button', { name: 'Create “Copper ware”' }).click();
      await page.getByRole('button', { name: 'Remove Copper ware' }).waitFor();
      const picture = { name: 'kettle.png', mimeType: 'image/png', buffer: await drawn(300, 200, { colour: 'red' }) };
      await page.getByLabel('Choose pictures').first().setInputFiles([picture]);
      await page.getByLabel('Picture 1: what it shows').fill('A kettle');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Copper kettle' }).waitFor();
      await page.getByRole('link', { name: 'Copper ware' }).click();
      await page.getByLabel('Name').fill('Copper & brass');
      expect(await findingsEverywhere(tab, 'category')).toEqual([]);
      await written(page, () => page.getByRole('button', { name: 'Save' }).click());
      await page.getByRole('link', { name: 'Copper & brass' }).waitFor();
      expect(await findingsEverywhere(tab, 'categories')).toEqual([]);
      const { categories } = (await shop.commerce('GET', '/products?search=kettle')).body.data[0];
      expect(categories).toEqual(['kettles', 'copper-ware']);
      await page.goto(`/admin/${shop.company_id}/products`);
      await page.getByPlaceholder('Name, SKU or description').fill('kettle');
      await expect.poll(() => page.url()).toContain('search=kettle');
      await expect.poll(() => page.getByRole('row').count()).toBe(2);
      await page.getByRole('link', { name: 'Copper kettle' }).click();
      await page.getByRole('link', { name: 'Edit' }).click();
      await page.getByLabel(/^Price(?! before)/).fill('89');
      await page.getByRole('button', { name: 'Save' }).click();
      const prices = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Prices' }) });
      await prices.getByRole('cell', { name: '$89.00' }).waitFor();
      await prices.getByRole('cell', { name: '$10,000.00' }).first().waitFor();
      await page.getByRole('button', { name: 'Archive' }).click();
      await page.getByText('Archived', { exact: true }).waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('forty orders are shipped with tracking numbers at once, and their packing slips printed', async () => {
      const orders: number[] = [];
      for (let n = 1; n <= FORTY; n++) {
        const items = [{ product_id: tea, qty: 1 }];
        orders.push(await made('/orders', { customer_id: customer, items, ...address(n) }));
      }
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const listed = page.getByRole('row').filter({ has: page.getByRole('checkbox') });
      await page.goto(`/admin/${shop.company_id}/orders?status=pending&per_page=50`);
      await expect.poll(() => listed.count()).toBe(FORTY + 2);
      await page.getByLabel('Select all rows of this page').check();
      await page.getByRole('button', { name: 'Mark as shipped' }).click();
      const dialog = page.getByRole('dialog');
      for (const id of orders)
        await dialog.getByLabel(`Tracking number of order ${id}`, { exact: true }).fill(`TRACK-${id}`);
      await shop.commerce('PATCH', `/orders/${orders[3]}/status`, { status: 'cancelled' });
      await dialog.getByRole('button', { name: 'Mark as shipped' }).click();
      await dialog.getByText(/cancelled/).waitFor();
      // The forty, one of them cancelled, and the one by telephone.
      await expect.poll(() => dialog.getByText('Shipped', { exact: true }).count()).toBe(FORTY);
      await dialog.getByRole('button', { name: 'Close' }).first().click();
      expect(await page.getByRole('toolbar', { name: 'Actions for the selected rows' }).count()).toBe(0);
      for (const id of orders) {
        const { data } = (await shop.commerce('GET', `/orders/${id}`)).body;
        const expected = id === orders[3] ? ['cancelled', null] : ['shipped', `TRACK-${id}`];
        expect([data.status, data.tracking_number]).toEqual(expected);
      }
      await page.goto(`/admin/${shop.company_id}/orders?status=shipped&per_page=50`);
      await expect.poll(() => listed.count()).toBe(FORTY + 1);
      await page.getByLabel('Select all rows of this page').check();
      await page.getByRole('button', { name: 'Packing slips' }).click();
      await expect.poll(() => page.getByRole('article').count()).toBe(FORTY);
      await page.getByRole('article').filter({ hasText: '7 Long Lane' }).first().waitFor();
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByRole('navigation').first().isVisible()).toBe(false);
      expect(problems).toEqual([]);
    });

    test('on a phone: today is looked at, an order shipped, a campaign paused', async () => {
      const id = await made('/orders', {
        ...address(200),
        customer_id: customer,
        items: [{ product_id: tea, qty: 2 }],
      });
      const { list_id } = (await shop.marketing('POST', '/lists', { name: 'News' })).body;
      const { contact_id } = (await shop.marketing('POST', '/contacts', { email: 'ada@example.com' })).body;
      await shop.marketing('POST', `/lists/${list_id}/contacts`, { contact_ids: [contact_id] });
      const mail = { name: 'Spring', type: 'email', subject: 'Spring', content: '<p>Spring</p>', list_id };
      const { campaign_id } = (await shop.marketing('POST', '/campaigns', mail)).body;
      await shop.marketing('POST', `/campaigns/send/${campaign_id}`);
      const tab = await openTab(browser, server, { cookie, viewport: PHONE });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/home`);
      await page.getByText('Today', { exact: true }).click();
      await page.getByText('Revenue').first().waitFor();
      const bar = page.getByRole('navigation', { name: 'Main pages' });
      await bar.getByRole('link', { name: 'Orders' }).click();
      await page.getByRole('link', { name: `#${id}` }).click();
      await page.getByRole('button', { name: 'Mark as shipped' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(`Tracking number of order ${id}`).fill('PHONE-1');
      await dialog.getByRole('button', { name: 'Mark as shipped' }).click();
      await page.getByText('Shipped', { exact: true }).first().waitFor();
      expect((await shop.commerce('GET', `/orders/${id}`)).body.data).toMatchObject({
        status: 'shipped',
        tracking_number: 'PHONE-1',
      });
      expect(await findingsEverywhere(tab)).toEqual([]);
      await bar.getByRole('button', { name: 'More' }).click();
      await page.getByRole('link', { name: 'Campaigns' }).last().click();
      await page.getByRole('link', { name: 'Spring' }).click();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused', { exact: true }).first().waitFor();
      expect((await shop.marketing('GET', `/campaigns/${campaign_id}`)).body.status).toBe('paused');
      expect(await findingsEverywhere(tab)).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('filters are saved as a view, all rows become a file, and all that match are shipped in the background', async () => {
      const before = (await shop.commerce('GET', '/orders?status=pending')).body.meta.pagination.total as number;
      for (let n = 1; n <= 30; n++) {
        await made('/orders', { ...address(n), customer_id: customer, items: [{ product_id: tea, qty: 1 }] });
      }
      const total = before + 30;
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/orders`);
      await page.getByLabel('Status').selectOption('pending');
      await page.getByText(`${total} rows`).waitFor();
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name: 'Save this view' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Waiting');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText('The view is saved').waitFor();
      await page.goto(`/admin/${shop.company_id}/orders?status=shipped`);
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name: 'Waiting' }).click();
      await expect.poll(() => page.url()).toContain('status=pending');
      await page.getByText(`${total} rows`).waitFor();
      await page.getByRole('button', { name: 'CSV' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: `All ${total} rows, with all fields` }).click(),
      ]);
      const file = readFileSync(await download.path(), 'utf8');
      expect(file.trim().split('\r\n').length).toBe(total + 1);
      // A list that was sorted is a file in that order.
      await page.getByRole('button', { name: 'Placed' }).click();
      await page.waitForURL(/sort=oldest/);
      await page.getByRole('button', { name: 'CSV' }).click();
      const [sorted] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: `All ${total} rows, with all fields` }).click(),
      ]);
      const ids = (text: string) =>
        text
          .trim()
          .split('\r\n')
          .slice(1)
          .map((line) => Number(line.split(',')[0]));
      expect(ids(readFileSync(await sorted.path(), 'utf8'))).toEqual(ids(file).toReversed());
      await page.goBack();
      await page.waitForURL((url) => !url.search.includes('sort='));

      await page.getByLabel('Select all rows of this page').check();
      await page.getByRole('button', { name: `Select all ${total} that match` }).click();
      expect(await findingsEverywhere(tab)).toEqual([]);
      await page.getByRole('button', { name: 'Mark as shipped' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Start' }).click();
      await dialog.getByText(`0 of ${total} done`).waitFor();
      const worker = server.app.workers.find(({ name }) => name === 'bulk-actions')!;
      while ((await worker.runOnce()) > 0);
      await dialog.getByText(`${total} of ${total} done`).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.getByText('No row matches these filters.').waitFor();
      expect((await shop.commerce('GET', '/orders?status=pending')).body.meta.pagination.total).toBe(0);
      expect(problems).toEqual([]);
    });

    test('Home tells yesterday beside a week ago, what runs out and what waits, each with its page', async () => {
      const now = new Date();
      const there = await server.company({ name: 'Rowan & Thistle' });
      const post = async (at: string, body: object) => (await there.commerce('POST', at, body)).body.data.id as number;
      const scarce = await post('/products', { name: 'Last tins', price: 5, stock_qty: 3 });
      const customer_id = await post('/customers', { email: 'ingrid@example.com' });
      const order = { ...address(1), customer_id, items: [{ product_id: scarce, qty: 1 }] };
      server.clock.set(new Date(now.getTime() - 8 * DAY_MS));
      await post('/orders', order);
      server.clock.set(new Date(now.getTime() - DAY_MS));
      const waiting = await post('/orders', order);
      server.clock.set(now);
      const person = await testPerson(server, { [there.company_id]: 'owner' });
      const tab = await openTab(browser, server, { cookie: person.cookie.split('=')[1]! });
      const { page, problems } = tab;
      await page.goto(`/admin/${there.company_id}/home`);
      await page.getByText('Yesterday', { exact: true }).click();
      await page.getByLabel('Compare with').selectOption('week');
      await page.getByText('0%, before: 1').waitFor();
      await page.getByRole('link', { name: 'Last tins' }).first().click();
      await page.getByRole('heading', { name: 'Last tins', level: 1 }).waitFor();
      await page.goBack();
      await page.getByRole('link', { name: /pending for over a day/ }).click();
      await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
      await page.getByRole('link', { name: `#${waiting}` }).waitFor();
      expect(problems).toEqual([]);
    });

    test('Yesterday on Home and the list of orders are the same day: that of the shop in Los Angeles', async () => {
      const now = new Date();
      const there = await server.company({ timeZone: 'America/Los_Angeles' });
      const post = async (at: string, body: object) => (await there.commerce('POST', at, body)).body.data.id as number;
      const product_id = await post('/products', { name: 'Tea', price: 5, stock_qty: 30 });
      const customer_id = await post('/customers', { email: 'ingrid@example.com' });
      const { format } = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Los_Angeles', dateStyle: 'short' });
      const yesterday = new Date(Date.parse(format(now)) - DAY_MS).toISOString().slice(0, 10);
      const wanted: number[] = [];
      // Every three hours of the three days around it: in UTC, some of yesterday's are of today.
      for (let hours = 60; hours >= 0; hours -= 3) {
        server.clock.set(new Date(now.getTime() - hours * 3_600_000));
        const id = await post('/orders', { ...address(1), customer_id, items: [{ product_id, qty: 1 }] });
        if (format(server.clock.now()) === yesterday) wanted.unshift(id);
      }
      server.clock.set(now);
      const person = await testPerson(server, { [there.company_id]: 'owner' });
      const { page, problems } = await openTab(browser, server, { cookie: person.cookie.split('=')[1]! });
      await page.goto(`/admin/${there.company_id}/home?period=yesterday`);
      await page
        .getByText(`$${wanted.length * 5}.00`, { exact: true })
        .first()
        .waitFor();
      await page.goto(`/admin/${there.company_id}/orders?date_from=${yesterday}&date_to=${yesterday}`);
      await page.getByText(`${wanted.length} rows`).waitFor();
      const shown = page.getByRole('row').getByRole('link', { name: /^#\d+$/ });
      expect(await shown.allInnerTexts()).toEqual(wanted.map((id) => `#${id}`));
      expect(problems).toEqual([]);
    });
  });
}
