import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findingsEverywhere, overflowOf } from './browser.ts';
import { findChromium, openTab, PHONE, testBrowser } from './chromium.ts';
import { fillMarketing, fillShop } from './shop.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, finding records in the admin app is not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;
    let orders: number[];
    const at = (place: string): string => `/admin/${shop.company_id}/${place}`;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      orders = await fillShop(shop);
      await fillMarketing(server, shop);
      cookie = (await testPerson(server, { [shop.company_id]: 'owner' })).cookie.split('=')[1]!;
    });

    test('orders are searched by customer, article and tracking number, the best match first, and the address keeps the search', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const order = (await shop.commerce('GET', `/orders/${orders[0]}`)).body.data;
      const customer = (await shop.commerce('GET', `/customers/${order.customer_id}`)).body.data;
      await page.goto(at('orders'));
      const search = page.getByPlaceholder('Number, customer, article or tracking');
      await search.fill(customer.email);
      await expect.poll(() => page.url()).toContain('search=');
      await page.getByRole('link', { name: `#${order.id}`, exact: true }).waitFor();
      await page.setViewportSize(PHONE);
      await expect.poll(() => page.getByLabel('Order of the rows').inputValue()).toBe('relevance');
      await page.getByLabel('Order of the rows').selectOption('newest');
      await expect.poll(() => page.url()).toContain('sort=newest');
      expect(await overflowOf(page)).toBe(0);
      expect(await page.getByLabel('Status').isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Filters', exact: true }).click();
      await page.getByLabel('Status').selectOption('pending');
      await page.getByRole('button', { name: 'Filters (1)' }).click();
      expect(await page.getByLabel('Status').isVisible()).toBe(false);
      const name = page.locator('tbody td', { hasText: 'Wilhelmina' }).first();
      expect((await name.boundingBox())!.height).toBeLessThan(70);
      expect(await overflowOf(page)).toBe(0);
      await page.reload();
      await page.getByRole('link', { name: `#${order.id}`, exact: true }).waitFor();
      await search.fill('nobody-has-this');
      await page.getByText('Nothing', { exact: false }).first().waitFor();
      expect(problems).toEqual([]);
    });

    test('lists are sorted by the headers of their columns, on a phone by a choice, and the address keeps the order', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(at('products'));
      const names = () => page.locator('tbody tr td:nth-child(2)').allInnerTexts();
      const header = (name: string) => page.getByRole('columnheader', { name });
      await page.getByRole('button', { name: 'Name', exact: true }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => header('Name').getAttribute('aria-sort')).toBe('ascending');
      await expect
        .poll(async () => {
          const shown = (await names()).map((one) => one.trim().toLowerCase());
          return shown.length > 1 && shown.every((one, i) => i === 0 || shown[i - 1]! <= one);
        })
        .toBe(true);
      expect(await findingsEverywhere(tab)).toEqual([]);
      await page.getByRole('button', { name: 'Price', exact: true }).click();
      await page.getByRole('button', { name: 'Price', exact: true }).click();
      await expect.poll(() => header('Price').getAttribute('aria-sort')).toBe('descending');
      await expect.poll(() => page.url()).toContain('sort=price_desc');
      await page.reload();
      await expect.poll(() => header('Price').getAttribute('aria-sort')).toBe('descending');
      await page.getByRole('button', { name: 'Price', exact: true }).click();
      await expect.poll(() => page.url()).not.toContain('sort=');
      await page.setViewportSize(PHONE);
      await page.getByLabel('Order of the rows').selectOption('stock_asc');
      await expect.poll(() => page.url()).toContain('sort=stock_asc');
      expect(await overflowOf(page)).toBe(0);
      expect(problems).toEqual([]);
    });

    test('archived products are listed by their filter and restored from the list', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(at('products'));
      await page.getByRole('link', { name: /Sencha/ }).waitFor();
      await page
        .getByRole('checkbox', { name: /^Select / })
        .last()
        .check();
      await page.getByRole('button', { name: 'Archive' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
      await page.getByText('1 product archived').waitFor();
      await page.getByLabel('Status').selectOption('archived');
      await expect.poll(() => page.getByRole('row').count()).toBe(2);
      expect(await findingsEverywhere(tab)).toEqual([]);
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('sencha');
      await page
        .getByRole('dialog')
        .getByRole('option', { name: /Archived/ })
        .waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await page.getByRole('button', { name: 'Restore' }).click();
      await page.getByText('1 product restored').waitFor();
      await page.getByText('Nothing found').first().waitFor();
      const { body } = await shop.commerce('GET', '/products?archived=true');
      expect([body.meta!.pagination!.total, problems]).toEqual([0, []]);
    });

    test('the palette finds campaigns, flows and segments, creates records, and offers a number as an order last', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(at('home'));
      const box = page.getByRole('dialog').getByRole('combobox');
      const ask = async (text: string): Promise<void> => {
        await page.getByRole('button', { name: 'Search' }).first().waitFor();
        await page.keyboard.press('Control+k');
        await box.fill(text);
      };
      for (const [text, heading] of [
        ['Spring', 'Spring'],
        ['After the ord', 'After the order'],
        ['Regul', 'Regulars'],
        ['new order', 'New order'],
      ] as const) {
        await ask(text);
        await page.getByRole('option', { name: new RegExp(heading) }).waitFor();
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: heading, exact: true }).waitFor();
      }
      await page.waitForURL(/\/orders\/new$/);
      await ask('31600000002');
      await page.getByRole('option', { name: 'Order #31600000002' }).waitFor();
      await box.fill(`${orders[0]}`);
      await page.getByRole('option', { name: `Order #${orders[0]}` }).waitFor();
      await box.fill(`#${orders[0]}`);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: `Order #${orders[0]}` }).waitFor();
      expect(problems).toEqual([]);
    });

    test('Enter in the palette opens what is found for the text that is there, once it is found', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      const held = Promise.withResolvers<void>();
      await page.route(/search\?q=Regulars$/, async (route) => {
        await held.promise;
        await route.continue();
      });
      await page.goto(at('home'));
      await page.getByRole('button', { name: 'Search' }).first().waitFor();
      await page.keyboard.press('Control+k');
      const box = page.getByRole('dialog').getByRole('combobox');
      // As when somebody types on: what was found for the first letters is there for a moment.
      await box.fill('Reg');
      await page.getByRole('option', { name: /Regulars/ }).waitFor();
      const asked = page.waitForRequest(/search\?q=Regulars$/);
      await box.fill('Regulars');
      await asked;
      await page.keyboard.press('Enter');
      held.resolve();
      await page.getByRole('heading', { name: 'Regulars', exact: true }).waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(problems).toEqual([]);
    });

    test('Enter adds to a new order what was found for the text that is there, not for the one before', async () => {
      for (const name of ['Zinc basin', 'Willow basket']) {
        await shop.commerce('POST', '/products', { name, price: 10, stock_qty: 5 });
      }
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const held = Promise.withResolvers<void>();
      await page.route(/products\?.*search=Willow/, async (route) => {
        await held.promise;
        await route.continue();
      });
      await page.goto(at('orders/new'));
      const field = page.getByLabel('Add a product');
      await field.fill('Zinc');
      await page.getByRole('button', { name: /Zinc basin/ }).waitFor();
      const asked = page.waitForRequest(/search=Willow/);
      await field.fill('Willow');
      await asked;
      await field.press('Enter');
      held.resolve();
      await page.getByRole('button', { name: /Willow basket/ }).waitFor();
      await field.press('Enter');
      await page.getByLabel('Quantity of Willow basket').waitFor();
      expect(await page.getByLabel('Quantity of Zinc basin').count()).toBe(0);
      expect(problems).toEqual([]);
    });

    test('a tracking number is added, corrected and taken away', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const stored = async () => (await shop.commerce('GET', `/orders/${orders[0]}`)).body.data.tracking_number;
      await page.goto(at(`orders/${orders[0]}`));
      for (const number of ['3SABC1', '3SABC2', '']) {
        await page.getByRole('button', { name: 'Change the tracking number' }).click();
        await page.getByLabel('Tracking number', { exact: true }).fill(number);
        await page.getByRole('button', { name: 'Save' }).click();
        await expect.poll(stored).toBe(number === '' ? null : number);
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      expect(problems).toEqual([]);
    });

    test('a section that fails says so and is asked for again, and the rest of the page stays', async () => {
      const { page } = await openTab(browser, server, { cookie });
      const failing = '**/orders/*/timeline*';
      await page.route(failing, (route) => route.fulfill({ status: 404, json: { code: 'not_found', message: 'No' } }));
      await page.route('**/products/*/price-history*', (route) => route.fulfill({ status: 404, json: {} }));
      await page.goto(at(`orders/${orders[0]}`));
      const failure = page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Try again' }) });
      await failure.waitFor();
      await page.unroute(failing);
      await failure.getByRole('button').click();
      await failure.waitFor({ state: 'detached' });
      const { body } = await shop.commerce('GET', '/products?search=sencha');
      await page.goto(at(`products/${body.data[0].id}`));
      await failure.waitFor();
      await page.getByText('First stock').waitFor();
    });

    test('a list leads from beyond its end to its last page, and Back to the filters and the search before', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(at('products?page=9'));
      await page.getByRole('link', { name: /Sencha/ }).waitFor();
      const search = page.getByRole('searchbox').first();
      await search.fill('whisk');
      await page.waitForURL(/search=whisk/);
      await page.getByLabel('In stock').selectOption('true');
      await page.getByText('Nothing found').waitFor();
      await page.getByRole('button', { name: 'Clear' }).click();
      await expect.poll(() => search.inputValue()).toBe('');
      await page.goBack();
      await expect.poll(() => search.inputValue()).toBe('whisk');
      await page.goBack();
      await page.getByRole('link', { name: 'Whisk' }).waitFor();
      expect(problems).toEqual([]);
    });
  });
}
