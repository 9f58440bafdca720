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

    test('of a new order name what is missing, and what is wrong', async () => {
      const { page, problems } = await openTab(browser, server, { cookie, viewport: PHONE });
      await page.goto(`/admin/${shop.company_id}/orders/new`);
      await page.getByText('There are no products yet.').waitFor();
      await page.getByLabel('Add a product').fill('linen');
      await page.getByRole('button', { name: /Linen Towel/ }).click();
      await page.getByText('Estimated: the address is incomplete.').waitFor();
      await page.getByRole('button', { name: 'Place order' }).click();
      for (const missing of ['a customer, or an e-mail address', 'street and number', 'the city', 'the postal code']) {
        await page.getByText(missing, { exact: true }).waitFor();
      }
      await page.getByLabel('Find the customer').fill('ann');
      await page.getByRole('button', { name: /Ann/ }).click();
      await page.getByText('a customer, or an e-mail address').waitFor({ state: 'detached' });
      await page.getByLabel('Street and number').fill('Main St 1');
      await page.getByLabel('City').fill('Salem');
      await page.getByLabel('Postal code').fill('97301');
      await page.getByRole('button', { name: 'Place order' }).click();
      await page.getByText('The state is required in this country.').waitFor();
      expect(problems).toEqual([]);
    });
  });
}
