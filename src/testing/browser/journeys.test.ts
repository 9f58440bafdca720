import { beforeAll, describe, expect, test } from 'vitest';
import { issueSignIn } from '../../access/sessions.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { operatorCookie } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';
import { fillShop } from './shop.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journeys through the admin app are not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;
    const orders: number[] = [];

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      orders.push(...(await fillShop(shop)));
      cookie = await operatorCookie(server);
    });

    test('the first link makes the owner, who signs in by password afterwards', async () => {
      const token = await issueSignIn(server.app.db, server.clock.now());
      const { page, problems } = await openTab(browser, server);
      await page.goto(`/admin/sign-in?token=${token}`);
      await page.getByRole('heading', { name: 'Set up your account' }).waitFor();
      await page.getByLabel('E-mail address').fill('olivia@example.com');
      await page.getByLabel('Your name').fill('Olivia');
      await page.getByLabel('Password', { exact: true }).fill('short');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByText(/must have at least 15|15 characters or more|at least 15 characters long/i).waitFor();
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('link', { name: 'Orders' }).first().waitFor();

      await page.getByRole('button', { name: 'Your account and appearance' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.getByLabel('E-mail address').fill('olivia@example.com');
      await page.getByLabel('Password', { exact: true }).fill('wrong horse battery staple');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').getByText('is wrong').waitFor();
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'Orders' }).first().waitFor();
      expect(problems).toEqual([]);
    });

    test('orders are selected and marked as shipped; one that was cancelled meanwhile is told alone', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      const { promise: rowsMayCome, resolve: letRowsCome } = Promise.withResolvers<void>();
      await page.route('**/admin/api/*/orders?*', (route) => rowsMayCome.then(() => route.continue()));
      await page.goto(`/admin/${shop.company_id}/orders?status=pending`);
      const everyRow = page.getByLabel('Select all rows of this page');
      expect(await everyRow.isDisabled()).toBe(true);
      letRowsCome();
      await everyRow.check();
      await page.getByRole('button', { name: 'Mark as shipped' }).click();
      const dialog = page.getByRole('dialog');
      const [cancelled, first] = orders.slice(-2) as [number, number];
      await dialog.getByLabel(`Tracking number of order ${first}`).fill('TRACK-1');
      await shop.commerce('PATCH', `/orders/${cancelled}/status`, { status: 'cancelled' });
      await dialog.getByRole('button', { name: 'Mark as shipped' }).click();
      await dialog.getByText(/cancelled/).waitFor();
      await expect.poll(() => dialog.getByText('Shipped', { exact: true }).count()).toBe(orders.length - 1);
      const { body } = await shop.commerce('GET', `/orders/${first}`);
      expect(body.data).toMatchObject({ status: 'shipped', tracking_number: 'TRACK-1' });
      expect((await shop.commerce('GET', `/orders/${cancelled}`)).body.data.status).toBe('cancelled');
      expect(problems).toEqual([]);
    });

    test('a product is created with an error at its field, kept over a reload, found, changed and archived', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/products/new`);
      await page.getByLabel('Name').fill('Copper kettle');
      await page.getByLabel(/^Price(?! before)/).fill('-5');
      await page.getByRole('textbox', { name: 'Stock' }).fill('12');
      await page.reload();
      await page.getByText('Your unsaved changes were restored.').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('Copper kettle');
      await page.getByRole('button', { name: 'Create' }).click();
      await expect.poll(() => page.getByLabel(/^Price(?! before)/).getAttribute('aria-invalid')).toBe('true');
      await page.getByLabel(/^Price(?! before)/).fill('79,50');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Copper kettle' }).waitFor();
      await page.getByRole('definition').filter({ hasText: '$79.50' }).waitFor();

      await page.getByRole('link', { name: 'Edit' }).click();
      await page.getByLabel(/^Price(?! before)/).fill('89');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('definition').filter({ hasText: '$89.00' }).waitFor();
      await page.getByRole('button', { name: 'Archive' }).click();
      await page.getByText('Archived', { exact: true }).waitFor();
      const { body } = await shop.commerce('GET', '/products/copper-kettle');
      expect(body.data).toMatchObject({ price: 89, archived: true, stock_qty: 12 });
      expect(problems).toEqual([]);
    });

    test('Ctrl-K finds a customer by name, an order by number and a product by SKU, by keys alone', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/orders`);
      await page.getByRole('heading', { name: 'Orders' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('wilhelmina');
      await page.getByRole('option', { name: /Wilhelmina/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /Wilhelmina/ }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill(`#${orders[0]}`);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: `Order #${orders[0]}` }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('sencha-first-flush-tin-0001');
      await page.getByRole('option', { name: /Sencha/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /Sencha/ }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('the language and the theme change at once, and stay', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/products`);
      await page.getByRole('button', { name: 'Your account and appearance' }).click();
      await page.getByRole('menuitem', { name: 'Dark' }).click();
      await page.getByRole('button', { name: 'Your account and appearance' }).click();
      await page.getByRole('menuitem', { name: 'Deutsch' }).click();
      await page.getByRole('heading', { name: 'Produkte' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Produkte' }).waitFor();
      expect(await page.evaluate('document.documentElement.dataset.mantineColorScheme')).toBe('dark');
      expect(problems).toEqual([]);
    });

    test('signing in leads to the page that was asked for', async () => {
      const { page } = await openTab(browser, server);
      await page.goto(`/admin/${shop.company_id}/taxes`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.getByLabel('E-mail address').fill('olivia@example.com');
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Taxes' }).waitFor();
    });
  });
}
