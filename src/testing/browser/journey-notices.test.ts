import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../harness.ts';
import { type TestPerson, testPerson } from '../people.ts';
import { accessibilityViolations, countTransfers, streamReady } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';
import { withoutStream } from './every-page.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, notices of the admin app are not tried here\n');
}
/** As in pages.test.ts, whose operator has no notices. */
const MOST_REQUESTS = 24;
const MOST_BYTES = 250_000;

const secretOf = ({ cookie }: TestPerson): string => cookie.slice('tradeloom='.length);

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let person: TestPerson;
    let customer: number;
    let product: number;

    beforeAll(async () => {
      server.clock.set(new Date().toISOString());
      shop = await server.company({ name: 'Rowan & Thistle' });
      person = await testPerson(server, { [shop.company_id]: 'manager' });
      const goods = { name: 'Mug', price: 10, stock_qty: 100 };
      product = (await shop.commerce('POST', '/products', goods)).body.data.id;
      customer = (await shop.commerce('POST', '/customers', { email: 'ann@example.com' })).body.data.id;
      await placeOrder();
    });

    async function placeOrder(): Promise<number> {
      const address = { shipping_address: 'Main St 1', shipping_city: 'Salem', shipping_zip: '97301' };
      const order = { customer_id: customer, items: [{ product_id: product, qty: 1 }], ...address };
      const { body } = await shop.commerce('POST', '/orders', order);
      const outbox = server.app.workers.find(({ name }) => name === 'outbox')!;
      while ((await outbox.runOnce()) > 0);
      return body.data.id;
    }

    test('the bell counts a new order at once, its notice leads to it, and a kind is turned off', async () => {
      const tab = await openTab(browser, server, { cookie: secretOf(person) });
      const { page } = tab;
      const ready = await streamReady(page);
      await page.goto(`/admin/${shop.company_id}/notices`);
      await page.getByRole('link', { name: 'Notices, 1 unread' }).waitFor();
      await ready();
      const id = await placeOrder();
      await page.getByRole('link', { name: 'Notices, 2 unread' }).waitFor();
      expect(await accessibilityViolations(tab)).toEqual([]);
      await page.getByRole('link', { name: `New order ${id}: $10.00` }).click();
      await page.waitForURL(`**/orders/${id}`);
      const bell = page.getByRole('link', { name: 'Notices, 1 unread' });
      await bell.click();
      await page.getByRole('button', { name: 'Mark all as read' }).click();
      await page.getByRole('link', { name: 'Notices, 0 unread' }).waitFor();
      await page.getByRole('checkbox', { name: 'New orders: In the app' }).click();
      await page.getByText('Nothing new.').waitFor();
      expect(tab.problems).toEqual([]);
    });

    test('the bell keeps the orders page within the limits of the first load', async () => {
      const { page } = await openTab(browser, server, { cookie: secretOf(person), fresh: true });
      await withoutStream(page);
      const counted = await countTransfers(page);
      await page.goto(`/admin/${shop.company_id}/orders`);
      await page.waitForLoadState('networkidle');
      await page.getByRole('link', { name: /^Notices, / }).waitFor();
      expect(counted.requests).toBeLessThanOrEqual(MOST_REQUESTS);
      expect(counted.bytes).toBeLessThanOrEqual(MOST_BYTES);
      expect(counted.bytes).toBeGreaterThan(50_000);
    });
  });
}
