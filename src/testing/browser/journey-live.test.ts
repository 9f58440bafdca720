import { beforeAll, describe, expect, test } from 'vitest';
import { fold } from '../../admin/live/testing.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { operatorCookie, streamReady } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, live pages of the admin app are not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let customer: number;
    let product: number;
    let cookie: string;

    beforeAll(async () => {
      // Figures are those of the browser's day.
      server.clock.set(new Date().toISOString());
      shop = await server.company({ name: 'Rowan & Thistle' });
      const goods = { name: 'Mug', price: 10, stock_qty: 100 };
      product = (await shop.commerce('POST', '/products', goods)).body.data.id;
      customer = (await shop.commerce('POST', '/customers', { email: 'ann@example.com' })).body.data.id;
      await placeOrder();
      cookie = await operatorCookie(server);
    });

    async function placeOrder(customer_id = customer): Promise<number> {
      const address = { shipping_address: 'Main St 1', shipping_city: 'Salem', shipping_zip: '97301' };
      const order = { customer_id, items: [{ product_id: product, qty: 1 }], ...address };
      const { body } = await shop.commerce('POST', '/orders', order);
      await fold(server);
      return body.data.id;
    }

    test('an order that the API takes appears on the open page, in every window of the browser, by one stream', async () => {
      const { page, problems, context } = await openTab(browser, server, { cookie });
      const streams: string[] = [];
      context.on('request', (request) => {
        if (request.url().endsWith('/live')) streams.push(request.url());
      });
      const address = `/admin/${shop.company_id}/orders`;
      const isReady = await streamReady(page);
      await page.goto(address);
      await page.getByRole('row').nth(1).waitFor();
      const second = await context.newPage();
      await second.goto(address);
      await second.getByRole('row').nth(1).waitFor();
      await isReady();
      const id = await placeOrder();
      await page.getByRole('link', { name: new RegExp(`\\b${id}\\b`) }).waitFor();
      await second.getByRole('link', { name: new RegExp(`\\b${id}\\b`) }).waitFor();
      expect(streams).toHaveLength(1);

      const tookOver = await streamReady(second);
      await page.close();
      await tookOver();
      expect(streams).toHaveLength(2);
      await shop.commerce('PATCH', `/orders/${id}/status`, { status: 'shipped' });
      await fold(server);
      await second.getByRole('row', { name: new RegExp(`\\b${id}\\b.*Shipped`) }).waitFor();
      expect(problems).toEqual([]);
    });

    test('the list of orders names all customers with one request', async () => {
      const people = ['Bea', 'Cleo', 'Dora'];
      for (const first_name of people) {
        const person = { email: `${first_name}@example.com`, first_name };
        const { id } = (await shop.commerce('POST', '/customers', person)).body.data;
        await placeOrder(id);
        if (first_name === 'Dora') await shop.commerce('DELETE', `/customers/${id}`);
      }
      const { page, problems } = await openTab(browser, server, { cookie });
      const asked: string[] = [];
      page.on('request', (request) => {
        if (/\/customer/.test(new URL(request.url()).pathname)) asked.push(new URL(request.url()).pathname);
      });
      await page.goto(`/admin/${shop.company_id}/orders`);
      await page.getByRole('row').getByText('bea@example.com').waitFor();
      await page.getByRole('row').getByRole('link', { name: 'Cleo' }).waitFor();
      await page
        .getByRole('row')
        .getByText(/#\d+ \(erased\)/)
        .waitFor();
      await page.waitForLoadState('networkidle');
      expect(asked).toEqual([`/admin/api/${shop.company_id}/customer-names`]);
      expect(problems).toEqual([]);
    });

    test('figures of the first page follow', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      const isReady = await streamReady(page);
      await page.goto(`/admin/${shop.company_id}/home?period=today`);
      const main = page.getByRole('main');
      await main.getByText('Revenue').first().waitFor();
      await isReady();
      await expect.poll(() => main.locator('[aria-busy=true]').count()).toBe(0);
      const before = await main.textContent();
      await placeOrder();
      await expect.poll(() => main.textContent()).not.toBe(before);
      expect(problems).toEqual([]);
    });
  });
}
