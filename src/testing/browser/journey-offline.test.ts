import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { fold } from '../../admin/live/testing.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { findingsEverywhere, operatorCookie } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the admin app without a connection is not tried here\n');
}

/** The browser connects a broken stream again by itself, after some seconds. */
const SLOWLY = { timeout: 45_000 };

/** Counts what the page asks for in vain. */
function failedRequests(page: Page): { scripts: number; questions: number } {
  const counted = { scripts: 0, questions: 0 };
  page.on('requestfailed', (request) => {
    if (request.url().endsWith('.js')) counted.scripts++;
    // Whether the server is there again.
    if (request.method() === 'HEAD') counted.questions++;
  });
  return counted;
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;
    let order: { customer_id: number; items: { product_id: number; qty: number }[] };

    beforeAll(async () => {
      server.clock.set(new Date().toISOString());
      shop = await server.company({ name: 'Rowan & Thistle' });
      const made = async (at: string, body: object) => (await shop.commerce('POST', at, body)).body.data.id as number;
      const product_id = await made('/products', { name: 'Mug', price: 10, stock_qty: 100 });
      order = {
        customer_id: await made('/customers', { email: 'ann@example.com' }),
        items: [{ product_id, qty: 1 }],
      };
      await placeOrder();
      cookie = await operatorCookie(server);
    });

    async function placeOrder(): Promise<number> {
      const address = { shipping_address: 'Main St 1', shipping_city: 'Salem', shipping_zip: '97301' };
      const { body } = await shop.commerce('POST', '/orders', { ...order, ...address });
      await fold(server);
      return body.data.id;
    }

    test('without a connection the app says so, loses nothing that is written, and goes on by itself once it is back', {
      timeout: 120_000,
    }, async () => {
      const tab = await openTab(browser, server, { cookie, fresh: true });
      const { page, problems, context } = tab;
      let loads = 0;
      page.on('load', () => loads++);
      const product = `/products/${order.items[0]!.product_id}`;
      const priceOf = async (): Promise<number> => (await shop.commerce('GET', product)).body.data.price;
      await page.goto(`/admin/${shop.company_id}${product}/edit`);
      const price = page.getByLabel(/^Price(?! before)/);
      await price.fill('12.50');
      expect(loads).toBe(1);

      await context.setOffline(true);
      const banner = page.getByRole('alert').filter({ hasText: 'You are offline.' });
      await banner.waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The server cannot be reached.').waitFor();
      expect([await price.inputValue(), await priceOf()]).toEqual(['12.50', 10]);
      // What was typed is kept in the tab as well.
      expect(await page.evaluate('JSON.stringify(sessionStorage)')).toContain('12.50');

      await context.setOffline(false);
      await banner.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Mug', level: 1 }).waitFor();
      await expect.poll(priceOf).toBe(12.5);
      expect([loads, problems]).toEqual([1, []]);
    });

    test('a note that could not be sent is refused at once, stays in its field, and is sent once', async () => {
      const { page, problems, context } = await openTab(browser, server, { cookie, fresh: true });
      await page.goto(`/admin/${shop.company_id}/customers/${order.customer_id}`);
      const note = page.getByLabel('Write a note');
      await note.fill('Rings twice');
      await context.setOffline(true);
      await page.getByRole('button', { name: 'Add note' }).click();
      await page.getByText('The server cannot be reached.').waitFor();
      expect(await note.inputValue()).toBe('Rings twice');
      await context.setOffline(false);
      await page.getByRole('alert').filter({ hasText: 'You are offline.' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Add note' }).click();
      await page.getByRole('listitem').filter({ hasText: 'Rings twice' }).waitFor();
      await expect.poll(() => note.inputValue()).toBe('');
      const notes = (await shop.commerce('GET', `/customers/${order.customer_id}/notes`)).body.data;
      expect(notes.map(({ text }: { text: string }) => text)).toEqual(['Rings twice']);
      expect(problems).toEqual([]);
    });

    test('a page that was not loaded yet opens while the browser knows no connection but the server responds', async () => {
      const { page, problems } = await openTab(browser, server, { cookie, fresh: true });
      // As on a computer without a network that runs the server itself.
      await page.addInitScript("Object.defineProperty(navigator, 'onLine', { get: () => false })");
      await page.goto(`/admin/${shop.company_id}/home`);
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
      await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
      expect(problems).toEqual([]);
    });

    test('a page that was not loaded yet opens once a server responds that was down, and the app stays meanwhile', {
      timeout: 60_000,
    }, async () => {
      const { page } = await openTab(browser, server, { cookie, fresh: true });
      let loads = 0;
      page.on('load', () => loads++);
      await page.goto(`/admin/${shop.company_id}/home`);
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      await page.route('**/*', (route) => route.abort('connectionrefused'));
      const failed = failedRequests(page);
      await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
      // It asks again.
      await expect.poll(() => failed.questions).toBeGreaterThan(1);
      await page.getByRole('navigation').first().waitFor();
      await page.unroute('**/*');
      await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
      expect(loads).toBe(1);
    });

    test('records created before the stream of changes is open appear once it is', async () => {
      const { page } = await openTab(browser, server, { cookie, fresh: true });
      await page.route('**/live', (route) => route.abort('connectionrefused'));
      await page.goto(`/admin/${shop.company_id}/orders`);
      await page.getByRole('link', { name: /\b1\b/ }).waitFor();
      const missed = await placeOrder();
      await page.unroute('**/live');
      await page.getByRole('link', { name: new RegExp(`\\b${missed}\\b`) }).waitFor(SLOWLY);
    });

    test('a page that was not loaded yet opens once the connection is back, and what is new appears', {
      timeout: 120_000,
    }, async () => {
      const { page, problems, context } = await openTab(browser, server, { cookie, fresh: true });
      let loads = 0;
      page.on('load', () => loads++);
      await page.goto(`/admin/${shop.company_id}/home`);
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      await context.setOffline(true);
      await page.getByRole('alert').filter({ hasText: 'You are offline.' }).waitFor();
      const failed = failedRequests(page);
      await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
      await expect.poll(() => failed.scripts).toBeGreaterThan(0);
      // The app is still there.
      await page.getByRole('alert').filter({ hasText: 'You are offline.' }).waitFor();
      const missed = await placeOrder();
      await context.setOffline(false);
      await page.getByRole('link', { name: new RegExp(`\\b${missed}\\b`) }).waitFor();
      const next = await placeOrder();
      await page.getByRole('link', { name: new RegExp(`\\b${next}\\b`) }).waitFor(SLOWLY);
      expect([loads, problems]).toEqual([1, []]);
    });
  });
}
