import { beforeAll, describe, expect, test } from 'vitest';
import { issueSignIn } from '../../access/sessions.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { accessibilityViolations } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the admin app is not opened here\n');
}

/** The one journey of the fast tier: the app as it was built is served, its scripts run under the policy, and a person can work. */
for (const path of executable === null ? [] : [executable]) {
  describe('the admin app in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      await shop.commerce('POST', '/products', { name: 'Sencha', price: 10, stock_qty: 100 });
      await shop.commerce('POST', '/customers', {
        email: 'ingrid@example.com',
        first_name: 'Ingrid',
        last_name: 'Dahl',
      });
    });

    test('a person signs in, comes home, and places an order, which is in the list', async () => {
      const tab = await openTab(browser, server);
      const { page, problems } = tab;
      await page.goto(`/admin/sign-in?token=${await issueSignIn(server.app.db, server.clock.now())}`);
      await page.getByLabel('E-mail address').fill('olivia@example.com');
      await page.getByLabel('Your name').fill('Olivia');
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Home' }).waitFor();

      await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
      await page.getByRole('link', { name: 'New order' }).first().click();
      await page.getByLabel('Add a product').fill('senc');
      await page.getByRole('button', { name: /Sencha/ }).click();
      await page.getByLabel('Find the customer').fill('dahl');
      await page.getByRole('button', { name: /Ingrid Dahl/ }).click();
      await page.getByLabel('Street and number').fill('Storgata 1');
      await page.getByLabel('Postal code').fill('0150');
      await page.getByLabel('City').fill('Oslo');
      await page.getByLabel('Country').fill('Norway');
      await page.getByRole('button', { name: 'Place order' }).click();
      const title = page.getByRole('heading', { name: /^Order #/ });
      await title.waitFor();
      const number = /#\d+/.exec((await title.textContent())!)![0];
      await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
      await page.getByRole('link', { name: number, exact: true }).waitFor();
      expect(await accessibilityViolations(tab)).toEqual([]);
      expect(problems).toEqual([]);
    });
  });
}
