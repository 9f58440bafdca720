import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedServer, type TestCompany } from '../harness.ts';
import { operatorCookie, restingBox, settled } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, double clicks in the admin app are not tried here\n');
}

/** A double click at a place, whatever is there by the time of the second click: it comes when `meanwhile` is there. */
async function doubleClick(button: Locator, meanwhile?: Locator): Promise<void> {
  const page = button.page();
  const { x, y, width, height } = await restingBox(button);
  await page.mouse.move(x + width / 2, y + height / 2);
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
    if (clickCount === 1) await meanwhile?.waitFor();
  }
  // What the second click sends has been sent.
  await settled(page);
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
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;
    let product: number;
    let customer: number;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      const made = async (at: string, body: object) => (await shop.commerce('POST', at, body)).body.data.id as number;
      product = await made('/products', { name: 'Tea', price: 10, stock_qty: 100, subscription_enabled: true });
      customer = await made('/customers', { email: 'ann@example.com' });
      cookie = await operatorCookie(server);
    });

    const address = { shipping_address: 'Main St 1', shipping_city: 'Salem', shipping_zip: '97301' };

    test('skips one delivery', async () => {
      const { body: frequencies } = await shop.commerce('GET', '/subscription-frequencies');
      const { body } = await shop.commerce('POST', '/subscriptions', {
        customer_id: customer,
        product_id: product,
        frequency_id: frequencies.data[0].id,
        quantity: 1,
        ...address,
      });
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/subscriptions/${body.data.id}`);
      const writes = countWrites(page);
      const skipped = page.getByText('The next delivery is on');
      await doubleClick(page.getByRole('button', { name: 'Skip the next delivery' }), skipped);
      expect([writes(), problems]).toEqual([1, []]);
      // Another click on the same button is meant.
      await page.getByRole('button', { name: 'Skip the next delivery' }).click();
      await expect.poll(writes).toBe(2);
    });

    test('archives a product and does not bring it back', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/products/${product}`);
      const writes = countWrites(page);
      await doubleClick(page.getByRole('button', { name: 'Archive' }), page.getByRole('button', { name: 'Restore' }));
      const { body } = await shop.commerce('GET', `/products/${product}`);
      expect([body.data.archived, writes(), problems]).toEqual([true, 1, []]);
    });

    test('writes a note once, however fast it is', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/customers/${customer}`);
      await page.getByLabel('Write a note').fill('Rings twice');
      const writes = countWrites(page);
      await doubleClick(page.getByRole('button', { name: 'Add note' }));
      await page.getByRole('listitem').filter({ hasText: 'Rings twice' }).waitFor();
      const { body } = await shop.commerce('GET', `/customers/${customer}/notes`);
      expect([body.data.length, writes(), problems]).toEqual([1, 1, []]);
    });

    test('opens a dialog and leaves it open', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/products/${product}`);
      const dialog = page.getByRole('dialog');
      const field = dialog.getByRole('textbox').first();
      await doubleClick(page.getByRole('button', { name: 'Adjust stock' }), field);
      expect(await field.isVisible()).toBe(true);
      // Another click beside it closes it.
      await page.mouse.click(5, 5);
      await dialog.waitFor({ state: 'detached' });
      expect(problems).toEqual([]);
    });

    test('of keys: a button that is held down by Enter acts once', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/products/${product}`);
      const writes = countWrites(page);
      const button = page.getByRole('button', { name: /Archive|Restore/ });
      const before = (await button.textContent())!;
      await button.focus();
      await page.keyboard.down('Enter');
      await expect.poll(() => button.textContent()).not.toBe(before);
      for (let i = 0; i < 4; i++) await page.keyboard.down('Enter');
      await page.keyboard.up('Enter');
      await settled(page);
      expect([writes(), problems]).toEqual([1, []]);
    });
  });
}
