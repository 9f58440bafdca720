import { beforeAll, describe, expect, test } from 'vitest';
import { sharedServer, type TestCompany } from '../harness.ts';
import { findingsEverywhere, operatorCookie, written } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of payment methods is not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      cookie = await operatorCookie(server);
    });

    const methods = async () => (await shop.commerce('GET', '/payment-methods')).body.data;

    test('payment methods are created with the defaults of their kind, changed, and switched off', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/payment-methods`);
      await page.getByText('No payment methods yet').waitFor();
      expect(await findingsEverywhere(tab, 'payment-methods-empty')).toEqual([]);
      await page.getByRole('link', { name: 'New payment method' }).first().click();
      await page.getByLabel('Name').fill('Bank transfer');
      await page.getByLabel('Instructions').fill('IBAN DE02 1203 0000 0000 2020 51');
      await page.getByLabel('Goods are set aside for, in minutes').fill('20160');
      await page.getByLabel('From a total of').fill('50');
      await page.getByLabel('Up to a total of').fill('20');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('The highest total must not be below the lowest.').waitFor();
      expect(await findingsEverywhere(tab, 'payment-method-new')).toEqual([]);
      await page.getByLabel('Up to a total of').fill('2000');
      await written(page, () => page.getByRole('button', { name: 'Create' }).click());
      await page.getByRole('link', { name: 'Bank transfer' }).waitFor();
      expect(await methods()).toMatchObject([
        { kind: 'bank_transfer', places: 'when_paid', reserve_minutes: 20_160, min_total: 50, max_total: 2_000 },
      ]);

      await page.getByRole('link', { name: 'New payment method' }).first().click();
      await page.getByLabel('Name').fill('Cash at the counter');
      await page.getByLabel('Type').selectOption('Cash');
      await page.getByLabel('Goods are set aside for, in minutes').waitFor({ state: 'hidden' });
      await page.getByLabel('Position').fill('1');
      await page.getByLabel('Only for staff').check();
      await written(page, () => page.getByRole('button', { name: 'Create' }).click());
      await page.getByRole('link', { name: 'Cash at the counter' }).waitFor();
      expect((await methods())[1]).toMatchObject({ kind: 'cash', places: 'at_once', position: 1, staff_only: true });

      await page.getByRole('link', { name: 'Cash at the counter' }).click();
      await page.getByRole('heading', { name: 'Cash at the counter' }).waitFor();
      await page.getByLabel('Active').uncheck();
      expect(await findingsEverywhere(tab, 'payment-method-edit')).toEqual([]);
      await written(page, () => page.getByRole('button', { name: 'Save' }).click());
      await page.getByText('Inactive').waitFor();
      expect(await findingsEverywhere(tab, 'payment-methods')).toEqual([]);
      expect((await methods())[1]).toMatchObject({ active: false, staff_only: true });
      expect(problems).toEqual([]);
    });

    test('store keys are beside them: created, copied, changed and revoked', async () => {
      await shop.commerce('POST', '/locations', { name: 'Harbour store' });
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const dialog = page.getByRole('dialog');
      const keys = async () =>
        server.rows('select name, origins, key, revoked_at from store_keys where company_id = $1', [shop.company_id]);
      await page.goto(`/admin/${shop.company_id}/payment-methods`);
      await page.getByRole('link', { name: 'Store keys', exact: true }).click();
      await page.getByText('No store keys yet').waitFor();
      await page.getByRole('button', { name: 'New store key' }).click();
      await dialog.getByLabel('Name').fill('Website');
      await dialog.getByLabel('Sites').fill('https://shop.example/store');
      await dialog.getByLabel('Location', { exact: true }).selectOption('Harbour store');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByText('https://shop.example/store is not the address of a site').waitFor();
      expect(await findingsEverywhere(tab, 'store-key-new')).toEqual([]);
      await dialog.getByLabel('Sites').fill('https://shop.example\nhttps://de.shop.example');
      await written(page, () => dialog.getByRole('button', { name: 'Create' }).click());
      const [{ key }] = (await keys()) as [{ key: string }];
      await page.getByText(key, { exact: true }).waitFor();
      await page.getByText('https://shop.example, https://de.shop.example').waitFor();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy the key Website' }).click();
      await page.getByText('The key is copied.').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
      expect(await findingsEverywhere(tab, 'store-keys')).toEqual([]);

      await page.getByRole('button', { name: 'Actions for the key Website' }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      await dialog.getByLabel('Sites').fill('');
      await dialog.getByLabel('Location', { exact: true }).selectOption('Every location that has it');
      await written(page, () => dialog.getByRole('button', { name: 'Save' }).click());
      await page.getByText('None: only apps and servers').waitFor();
      await page.getByRole('button', { name: 'Actions for the key Website' }).click();
      await page.getByRole('menuitem', { name: 'Revoke' }).click();
      await page.getByText('Storefronts that use it stop working within a second.').waitFor();
      await written(page, () => dialog.getByRole('button', { name: 'Revoke' }).click());
      await page.getByText('Revoked', { exact: true }).waitFor();
      expect(await keys()).toMatchObject([{ name: 'Website', origins: [], revoked_at: expect.any(Date) }]);
      expect(problems).toEqual([]);
    });

    test('the settings of the checkout are beside them', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/payment-methods`);
      await page.getByRole('link', { name: 'Checkout', exact: true }).click();
      await page.getByLabel('Address of the storefront').fill('http://shop.example');
      await page.getByLabel('Quantity after signing in').selectOption('the sum of both');
      await page.getByLabel('A cart is abandoned after, in minutes').fill('90');
      await page.getByLabel('Refund when an order is cancelled').uncheck();
      await page.getByLabel('A payment of another amount').selectOption('is kept until staff decide');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The address must begin with https://').waitFor();
      expect(await findingsEverywhere(tab, 'checkout')).toEqual([]);
      await page.getByLabel('Address of the storefront').fill('https://shop.example');
      await written(page, () => page.getByRole('button', { name: 'Save' }).click());
      await page.getByText('Saved', { exact: true }).waitFor();
      expect((await shop.commerce('GET', '/checkout-settings')).body.data).toEqual({
        store_url: 'https://shop.example',
        show_stock: 'few',
        cart_merge: 'add',
        abandoned_after_minutes: 90,
        refund_on_cancel: false,
        wrong_amount: 'hold',
        retry_days: [1, 3, 5, 7],
        after_retries: 'pause',
      });
      expect(problems).toEqual([]);
    });
  });
}
