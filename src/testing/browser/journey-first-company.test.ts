import { describe, expect, test } from 'vitest';
import { issueSignIn } from '../../access/sessions.ts';
import { testServer } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findingsEverywhere } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, an installation without a company is not looked at here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('an installation without a company', () => {
    const server = testServer();
    const browser = testBrowser(path);

    test('lets its owner create the first one, and leads through its setup on Home until that is done or hidden', async () => {
      const token = await issueSignIn(server.app.db, server.clock.now());
      const tab = await openTab(browser, server);
      const { page, problems } = tab;
      await page.goto(`/admin/sign-in?token=${token}`);
      await page.getByLabel('E-mail address').fill('olivia@example.com');
      await page.getByLabel('Your name').fill('Olivia');
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Create your company' }).waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      await page.getByLabel('Name').fill('Rowan & Thistle');
      await page.getByLabel('Country').fill('Germany');
      await page.getByLabel('Currency').fill('EUR');
      await page.getByLabel('Time zone').fill('Europe/Berlin');
      await page.getByRole('button', { name: 'Create company' }).click();
      await page.getByRole('heading', { name: 'Set up your shop' }).waitFor();
      const todo = page.getByText('To do:', { exact: true });
      await expect.poll(() => todo.count()).toBe(8);
      await page.getByRole('list', { name: 'To do' }).getByText('0 orders').first().waitFor();
      expect(await findingsEverywhere(tab, 'home-guide')).toEqual([]);
      const made = await server.rows('select name, currency, time_zone, country from companies');
      expect(made).toEqual([{ name: 'Rowan & Thistle', currency: 'EUR', time_zone: 'Europe/Berlin', country: 'DE' }]);
      await page.getByRole('main').getByRole('link', { name: 'Sender' }).click();
      await page.getByLabel('Address of the sender').fill('hello@rowan.example');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved').waitFor();
      await page.getByRole('link', { name: 'Home' }).first().click();
      await expect.poll(() => todo.count()).toBe(7);
      await page.getByText('1 of 8 done').waitFor();
      await page.getByRole('button', { name: 'Hide' }).click();
      await page.getByRole('heading', { name: 'Set up your shop' }).waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('button', { name: 'Setup guide' }).click();
      await expect.poll(() => todo.count()).toBe(7);

      const [row] = await server.rows<{ company_id: number }>('select company_id::int from companies');
      const { company_id } = row!;
      const owner = await testPerson(server, { [company_id]: 'owner' });
      const write = async (method: string, path: string, body: object): Promise<number> => {
        const made = await owner.ask(method, `/${company_id}${path}`, body);
        expect(made.status).toBeLessThan(300);
        return made.body.data?.id;
      };
      await write('PATCH', '/settings', { address: '1 Quay, Ghent' });
      await write('POST', '/tax-rules', { name: 'VAT', country: 'DE', rate: 0.19 });
      const zone = await write('POST', '/shipping-zones', { name: 'Germany', countries: ['DE'] });
      await write('POST', '/shipping-methods', { zone_id: zone, name: 'Parcel', type: 'flat', cost: 4.9 });
      await write('POST', '/payment-methods', { kind: 'bank_transfer', name: 'Bank transfer' });
      await write('POST', '/sending-domains', { domain: 'rowan.example' });
      await server.rows("update sending_domains set verified_at = now(), state = 'verified'");
      const product_id = await write('POST', '/products', { name: 'Tea', price: 5, stock_qty: 3, low_stock_at: 5 });
      await page.reload();
      await page.getByText('7 of 8 done').waitFor();
      const address = {
        shipping_address: '1 Quay',
        shipping_city: 'Berlin',
        shipping_zip: '10115',
        shipping_country: 'DE',
      };
      const customer_id = await write('POST', '/customers', { email: 'ann@example.com' });
      await write('POST', '/orders', { customer_id, items: [{ product_id, qty: 1 }], ...address });
      await page.reload();
      await page.getByRole('list', { name: 'To do' }).waitFor();
      await page.getByRole('heading', { name: 'Set up your shop' }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'To fulfill 1 order', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Unpaid 0 orders' }).waitFor();
      expect(await findingsEverywhere(tab, 'home-tiles')).toEqual([]);
      await page.getByRole('link', { name: 'Running out 1 product' }).click();
      await page.getByRole('link', { name: 'Tea' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('a person who left the only company may ask for an invitation, or sign out', async () => {
      const cookie = (await testPerson(server, {})).cookie.split('=')[1]!;
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto('/admin/');
      await page.getByText('Ask an owner to invite you.').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('read-only fields of a viewer are legible', async () => {
      const shop = await server.company({ name: 'Rowan & Thistle' });
      const viewer = await testPerson(server, { [shop.company_id]: 'viewer' });
      const { page, problems } = await openTab(browser, server, { cookie: viewer.cookie.split('=')[1]! });
      await page.goto(`/admin/${shop.company_id}/settings/company`);
      const name = page.getByLabel('Name');
      await name.waitFor();
      expect(await name.isDisabled()).toBe(true);
      const shown = await page.evaluate(`[document.body, document.querySelector('input[name=name]')].map((one) => {
        const { color, opacity } = getComputedStyle(one);
        return color + ' ' + opacity;
      })`);
      expect(new Set(shown as string[]).size).toBe(1);
      expect(problems).toEqual([]);
    });
  });
}
