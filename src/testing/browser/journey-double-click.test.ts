import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../harness.ts';
import { findChromium, openTab, operatorCookie, restingBox, startBrowser } from './browser.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, double clicks in the admin app are not tried here\n');
}

/** So long after the first click the second one of a double click comes: the response to the first is there by then. */
const BETWEEN_MS = 250;

/** A double click at a place, whatever is there by the time of the second click. */
async function doubleClick(button: Locator, between = BETWEEN_MS): Promise<void> {
  const page = button.page();
  const { x, y, width, height } = await restingBox(button);
  await page.mouse.move(x + width / 2, y + height / 2);
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
    if (clickCount === 1) await page.waitForTimeout(between);
  }
}

/** Counts what the page writes. */
function countWrites(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (request.method() !== 'GET') count++;
  });
  return () => count;
}

for (const path of executable === null ? [] : [executable]) {
  describe('a double click', () => {
    const server = testServer();
    let browser: Browser;
    let shop: TestCompany;
    let cookie: string;
    let product: number;
    let customer: number;

    beforeAll(async () => {
      browser = await startBrowser(path);
      shop = await server.company({ name: 'Rowan & Thistle' });
      const made = async (at: string, body: object) => (await shop.commerce('POST', at, body)).body.data.id as number;
      product = await made('/products', { name: 'Tea', price: 10, stock_qty: 100, subscription_enabled: true });
      customer = await made('/customers', { email: 'ann@example.com' });
      cookie = await operatorCookie(server);
    });
    afterAll(() => browser?.close());

    const address = { shipping_address: 'Main St 1', shipping_city: 'Salem', shipping_zip: '97301' };

    test('skips one delivery', async () => {
      const { body: frequencies } = await shop.commerce('GET', '/subscription-frequencies');
      const { body } = await shop.commerce('POST', '/subscriptions', {
        ...{
          customer_id: customer,
          product_id: product,
          frequency_id: frequencies.data[0].id,
          quantity: 1,
          ...address,
        },
      });
      const { page, context, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/subscriptions/${body.data.id}`);
      const writes = countWrites(page);
      await doubleClick(page.getByRole('button', { name: 'Skip the next delivery' }));
      await page.getByText('The next delivery is on').waitFor();
      await page.waitForTimeout(BETWEEN_MS);
      expect([writes(), problems]).toEqual([1, []]);
      // The same button again, later, is meant.
      await page.waitForTimeout(600);
      await page.getByRole('button', { name: 'Skip the next delivery' }).click();
      await expect.poll(writes).toBe(2);
      await context.close();
    });

    test('archives a product and does not bring it back', async () => {
      const { page, context, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/products/${product}`);
      const writes = countWrites(page);
      await doubleClick(page.getByRole('button', { name: 'Archive' }));
      await page.getByRole('button', { name: 'Restore' }).waitFor();
      await page.waitForTimeout(BETWEEN_MS);
      const { body } = await shop.commerce('GET', `/products/${product}`);
      expect([body.data.archived, writes(), problems]).toEqual([true, 1, []]);
      await context.close();
    });

    test('writes a note once, however fast it is', async () => {
      const { page, context, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/customers/${customer}`);
      await page.getByLabel('Write a note').fill('Rings twice');
      await doubleClick(page.getByRole('button', { name: 'Add note' }), 0);
      await page.getByRole('listitem').filter({ hasText: 'Rings twice' }).waitFor();
      await page.waitForTimeout(BETWEEN_MS);
      const { body } = await shop.commerce('GET', `/customers/${customer}/notes`);
      expect([body.data.length, problems]).toEqual([1, []]);
      await context.close();
    });

    test('opens a dialog and leaves it open', async () => {
      const { page, context, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/products/${product}`);
      await doubleClick(page.getByRole('button', { name: 'Adjust stock' }));
      const dialog = page.getByRole('dialog');
      await page.waitForTimeout(BETWEEN_MS);
      await dialog.getByRole('textbox').first().waitFor();
      // A click beside it, later, closes it.
      await page.waitForTimeout(600);
      await page.mouse.click(5, 5);
      await dialog.waitFor({ state: 'detached' });
      expect(problems).toEqual([]);
      await context.close();
    });

    test('of keys: a button that is held down by Enter acts once', async () => {
      const { page, context, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/products/${product}`);
      const writes = countWrites(page);
      await page.getByRole('button', { name: /Archive|Restore/ }).focus();
      for (let i = 0; i < 5; i++) {
        await page.keyboard.down('Enter');
        await page.waitForTimeout(100);
      }
      await page.keyboard.up('Enter');
      await page.waitForTimeout(BETWEEN_MS);
      expect([writes(), problems]).toEqual([1, []]);
      await context.close();
    });
  });
}
