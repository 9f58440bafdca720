import { beforeAll, describe, expect, test } from 'vitest';
import { sharedServer, type TestCompany } from '../harness.ts';
import { operatorCookie } from './browser.ts';
import { findChromium, openTab, PHONE, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write(
    'SKIPPED: Chromium is not installed, errors at the fields of the admin app are not looked at here\n',
  );
}

for (const path of executable === null ? [] : [executable]) {
  describe('errors at fields', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      await shop.commerce('POST', '/products', { name: 'Linen Towel', price: 10, stock_qty: 100 });
      await shop.commerce('POST', '/customers', { email: 'ann@example.com', first_name: 'Ann' });
      await shop.commerce('POST', '/tax-rules', { name: 'Oregon', country: 'US', state: 'OR', rate: 0.01 });
      cookie = await operatorCookie(server);
    });

    test('are in words of the form, and a limit in percent where the form is', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/taxes/new`);
      await page.getByLabel('Name').fill('VAT');
      await page.getByLabel('Rate in percent').fill('119');
      await page.getByLabel('Country').fill('Nowhere');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('The number must be at most 100.').waitFor();
      await page.getByLabel('Rate in percent').fill('19');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('There is no country of this name.').waitFor();

      await page.goto(`/admin/${shop.company_id}/products/new`);
      await page.getByLabel(/^Price(?! before)/).fill('1.234,56');
      await page.getByLabel(/^Stock/).fill('2.5');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('A value is missing.').waitFor();
      await page.getByText('The value must be a number, such as 1250.50').waitFor();
      await page.getByText('The value must be a whole number.').waitFor();
      expect(await page.locator('form').textContent()).not.toMatch(/\bmust be number|must NOT\b/);
      expect(problems).toEqual([]);
    });

    test('are in the language of the person', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.addInitScript("localStorage.setItem('tradeloom-language', 'de')");
      await page.goto(`/admin/${shop.company_id}/products/new`);
      await page.getByLabel(/^Preis(?! vor)/).fill('zwölf');
      await page.getByRole('button', { name: 'Anlegen' }).click();
      await page.getByText('Ein Wert fehlt.').waitFor();
      await page.getByText('Der Wert muss eine Zahl sein').waitFor();
      expect(problems).toEqual([]);
    });

    test('of a new order name missing fields, and that there is no price without them', async () => {
      const { page, problems } = await openTab(browser, server, { cookie, viewport: PHONE });
      await page.goto(`/admin/${shop.company_id}/orders/new`);
      await page.getByText('Add a product to see what the order costs.').waitFor();
      await page.getByLabel('Add a product').fill('linen');
      await page.getByRole('button', { name: /Linen Towel/ }).click();
      await page.getByText('The state is required in this country.').waitFor();
      await page.getByText('What the order costs is shown once the marked fields are filled in.').waitFor();
      await page.getByLabel('Find the customer').fill('ann');
      await page.getByRole('button', { name: /Ann/ }).click();
      await page.getByLabel('State or region').fill('OR');
      await page.getByText('Subtotal').waitFor();
      await page.getByRole('button', { name: 'Place order' }).click();
      // Street, postal code and city.
      await expect.poll(() => page.getByText('A value is missing.').count()).toBe(3);
      expect(problems).toEqual([]);
    });
  });
}
