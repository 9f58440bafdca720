import { beforeAll, describe, expect, test } from 'vitest';
import { sharedServer, type TestCompany } from '../harness.ts';
import { findingsEverywhere, operatorCookie, written } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of transfers is not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;
    let tea: number;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      cookie = await operatorCookie(server);
      await shop.commerce('POST', '/locations', { name: 'Harbour store' });
      tea = (await shop.commerce('POST', '/products', { name: 'Sencha', price: 9, stock_qty: 20 })).body.data.id;
      await shop.commerce('POST', '/products', { name: 'Teapot', price: 40, stock_qty: 5 });
    });

    const levels = async (): Promise<number[]> => {
      const { body } = await shop.commerce('GET', `/inventory?product_id=${tea}`);
      return body.data[0].levels.map(({ available }: { available: number }) => available);
    };

    test('a transfer is drafted, changed, sent and received in two parts, of which the second lacks a unit', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/inventory`);
      await page.getByRole('link', { name: 'Transfers' }).click();
      await page.getByRole('link', { name: 'New transfer' }).first().click();
      await page.getByRole('combobox', { name: 'To', exact: true }).selectOption('Harbour store');
      await page.getByLabel('Note').fill('For the weekend');
      for (const name of ['Teapot', 'Sencha']) {
        await page.getByLabel('Add a product').fill(name);
        await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
      }
      await page.getByLabel('Quantity of Sencha').fill('8');
      expect(await findingsEverywhere(tab, 'transfer-new')).toEqual([]);
      await written(page, () => page.getByRole('button', { name: 'Create' }).click());
      await page.getByRole('heading', { name: /^Transfer #/ }).waitFor();
      await page.getByRole('link', { name: 'Edit' }).click();
      await page.getByRole('button', { name: 'Remove Teapot' }).click();
      await written(page, () => page.getByRole('button', { name: 'Save' }).click());
      expect(await levels()).toEqual([20, 0]);
      await written(page, () => page.getByRole('button', { name: 'Send' }).click());
      await page.getByText('In transit').waitFor();
      expect(await levels()).toEqual([12, 0]);

      await page.getByRole('button', { name: 'Receive' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Sencha').fill('5');
      expect(await findingsEverywhere(tab, 'transfer-receive')).toEqual([]);
      await written(page, () => dialog.getByRole('button', { name: 'Receive' }).click());
      await dialog.waitFor({ state: 'hidden' });
      expect(await levels()).toEqual([12, 5]);
      await page.getByRole('button', { name: 'Receive' }).click();
      await dialog.getByLabel('Sencha').fill('2');
      await dialog.getByLabel('Nothing more arrives').check();
      await written(page, () => dialog.getByRole('button', { name: 'Receive' }).click());
      await page.getByRole('columnheader', { name: 'Missing' }).waitFor();
      expect(await levels()).toEqual([12, 7]);
      expect(await findingsEverywhere(tab, 'transfer')).toEqual([]);
      await page.getByRole('link', { name: 'Transfers' }).click();
      await page.getByLabel('Status').selectOption('received');
      await page.getByRole('cell', { name: 'Harbour store' }).waitFor();
      expect(await findingsEverywhere(tab, 'transfers')).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('a transfer that is cancelled on its way returns its units', async () => {
      const { page } = await openTab(browser, server, { cookie });
      const before = await levels();
      const [main, store] = (await shop.commerce('GET', '/locations')).body.data;
      const lines = [{ product_id: tea, qty: 3 }];
      const draft = { from_location_id: main.id, to_location_id: store.id, lines };
      const { id } = (await shop.commerce('POST', '/inventory/transfers', draft)).body.data;
      await page.goto(`/admin/${shop.company_id}/inventory/transfers/${id}`);
      await written(page, () => page.getByRole('button', { name: 'Send' }).click());
      await page.getByText('In transit').waitFor();
      await page.getByRole('button', { name: 'Cancel transfer' }).click();
      await written(page, () => page.getByRole('dialog').getByRole('button', { name: 'Cancel transfer' }).click());
      await page.getByRole('columnheader', { name: 'Returned' }).waitFor();
      expect(await levels()).toEqual(before);
    });

    test('a receipt adds goods, and the product shows its stock by location and its reservations', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const [main, store] = await levels();
      await page.goto(`/admin/${shop.company_id}/inventory/receipts`);
      await page.getByRole('link', { name: 'New receipt' }).first().click();
      await page.getByLabel('Location').selectOption('Harbour store');
      await page.getByLabel('Supplier').fill('Uji Mills');
      await page.getByLabel('Add a product').fill('Sencha');
      await page.getByRole('button', { name: /^Sencha/ }).click();
      await page.getByLabel('Quantity of Sencha').fill('12');
      await page.getByLabel('Unit cost of Sencha').fill('3.5');
      expect(await findingsEverywhere(tab, 'receipt-new')).toEqual([]);
      await written(page, () => page.getByRole('button', { name: 'Create' }).click());
      await page.getByRole('heading', { name: /^Receipt #/ }).waitFor();
      await page.getByRole('link', { name: 'Sencha' }).waitFor();
      await page.getByText('$3.50').waitFor();
      expect(await findingsEverywhere(tab, 'receipt')).toEqual([]);
      expect(await levels()).toEqual([main, store! + 12]);

      await page.getByRole('link', { name: 'Sencha' }).click();
      await page.getByRole('heading', { name: 'Stock by location' }).waitFor();
      expect(await page.getByRole('heading', { name: 'Reservations' }).count()).toBe(0);
      const [, storeAt] = (await shop.commerce('GET', '/locations')).body.data;
      const method = { kind: 'bank_transfer', name: 'Transfer' };
      const { id: method_id } = (await shop.commerce('POST', '/payment-methods', method)).body.data;
      const lines = [{ product_id: tea, qty: 1 }];
      const address = { shipping_address: '1 Main St', shipping_city: 'Springfield', shipping_zip: '12345' };
      const buyer = { email: 'buyer@example.com', location_id: storeAt.id, ...address };
      const cart = (await shop.commerce('POST', '/carts', { lines, ...buyer })).body.data;
      expect((await shop.commerce('POST', `/carts/${cart.id}/pay`, { method_id })).status).toBe(200);
      await page.reload();
      await page.getByRole('heading', { name: 'Reservations' }).waitFor();
      await page.getByRole('cell', { name: 'Harbour store' }).first().waitFor();
      expect(await findingsEverywhere(tab, 'product-by-location')).toEqual([]);
      expect(problems).toEqual([]);
    });
  });
}
