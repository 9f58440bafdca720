import { beforeAll, describe, expect, test } from 'vitest';
import { sharedServer, type TestCompany } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findingsEverywhere } from './browser.ts';
import { findChromium, openTab, PHONE, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, frequencies and the undo of tagging are not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;

    beforeAll(async () => {
      shop = await server.company({ name: 'Fernhill' });
      cookie = (await testPerson(server, { [shop.company_id]: 'owner' })).cookie.split('=')[1]!;
    });

    test('a frequency is added, renamed, and deleted; one that a subscription has is not', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/subscriptions`);
      await page.getByRole('link', { name: 'Frequencies' }).click();
      await page.getByText('2 months').first().waitFor();
      await page.getByRole('link', { name: 'New frequency' }).click();
      await page.getByLabel('Name').fill('Each season');
      await page.getByLabel('Every').fill('13');
      await page.getByLabel('Unit').selectOption({ label: 'weeks' });
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('link', { name: 'Each season' }).click();
      await page.getByRole('heading', { name: 'Each season · 13 weeks' }).waitFor();
      await page.getByLabel('Name').fill('Every season');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'Every season' }).waitFor();

      const product = await shop.commerce('POST', '/products', { name: 'Tea', price: 5, subscription_enabled: true });
      const customer = await shop.commerce('POST', '/customers', { email: 'ann@example.com' });
      const { data: frequencies } = (await shop.commerce('GET', '/subscription-frequencies')).body;
      const { id: frequency_id } = frequencies.find(({ name }: { name: string }) => name === 'Monthly');
      const { status } = await shop.commerce('POST', '/subscriptions', {
        customer_id: customer.body.data.id,
        product_id: product.body.data.id,
        frequency_id,
        shipping_address: '1 Quay',
        shipping_city: 'Ghent',
        shipping_zip: '9000',
        shipping_country: 'BE',
      });
      expect(status).toBe(201);
      const remove = async (name: string): Promise<void> => {
        await page.getByRole('link', { name, exact: true }).click();
        await page.getByRole('button', { name: 'Delete' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      };
      await remove('Every season');
      await page.getByRole('link', { name: 'Every season' }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Monthly' }).waitFor();
      await remove('Monthly');
      await page.getByText('Subscriptions have this frequency').waitFor();
      expect(problems).toEqual([]);
    });

    test('countries and states are picked by name, by keys and by pointer', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/shipping/zones/new`);
      await page.getByLabel('Name').fill('West');
      const countries = page.getByRole('combobox', { name: 'Countries' });
      await countries.fill('united st');
      await page.getByRole('option', { name: 'United States', exact: true }).waitFor();
      await countries.press('ArrowDown');
      await countries.press('Enter');
      await page.getByRole('button', { name: 'Remove United States' }).waitFor();
      expect(await countries.inputValue()).toBe('');
      await countries.fill('united');
      await page.getByRole('option').first().waitFor();
      expect(await findingsEverywhere(tab, 'pick-country')).toEqual([]);
      await countries.fill('Mexico, Atlantis');
      const states = page.getByRole('combobox', { name: 'States' });
      await states.fill('calif');
      await page.setViewportSize(PHONE);
      await page.getByRole('option', { name: 'California (CA)' }).click();
      await page.getByRole('button', { name: 'Remove California (CA)' }).waitFor();
      await page.getByRole('button', { name: 'Create' }).click();
      await expect.poll(() => countries.getAttribute('aria-invalid')).toBe('true');
      await countries.fill('Mexico');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'West' }).waitFor();
      const [zone] = (await shop.commerce('GET', '/shipping-zones')).body.data.filter(
        ({ name }: { name: string }) => name === 'West',
      );
      expect(zone).toMatchObject({ countries: ['US', 'MX'], states: ['CA'] });
      await shop.commerce('DELETE', `/shipping-zones/${zone.id}`);
      expect(problems).toEqual([]);
    });

    test('a subscription is begun for a customer, and a day of the calendar opens its renewals', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const [customer, product] = [
        await shop.commerce('POST', '/customers', { email: 'bea@example.com', first_name: 'Bea' }),
        await shop.commerce('POST', '/products', { name: 'Assam', price: 5, subscription_enabled: true }),
      ];
      await page.goto(`/admin/${shop.company_id}/subscriptions`);
      await page.getByRole('link', { name: 'New subscription' }).first().click();
      const pick = async (name: string, text: string): Promise<void> => {
        const field = page.getByRole('combobox', { name });
        await field.fill(text);
        await page.getByRole('option').first().waitFor();
        await field.press('Enter');
      };
      await pick('Customer', 'bea@');
      await pick('Product', 'assam');
      await page.getByLabel('Quantity').fill('3');
      await page.getByLabel('Street and number').fill('Quay 1');
      await page.getByLabel('Postal code').fill('10115');
      await page.getByLabel('City').fill('Berlin');
      await page.getByLabel('Country').fill('Germany');
      expect(await findingsEverywhere(tab, 'subscription-new')).toEqual([]);
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: /^Subscription #/ }).waitFor();
      const [made] = (await shop.commerce('GET', `/subscriptions?customer_id=${customer.body.data.id}`)).body.data;
      expect(made).toMatchObject({ product_id: product.body.data.id, quantity: 3, shipping_country: 'DE' });
      await page.goto(`/admin/${shop.company_id}/subscriptions/calendar?month=${made.next_billing_date.slice(0, 7)}`);
      await page
        .locator('td', { has: page.locator(`time[datetime="${made.next_billing_date}"]`) })
        .getByRole('link')
        .click();
      await page.getByRole('link', { name: `#${made.id}`, exact: true }).waitFor();
      expect(problems).toEqual([]);
    });

    test('contacts are tagged by their filters, and the tagging is undone', async () => {
      const contacts = Array.from({ length: 30 }, (_, n) => ({
        email: `p${n}@example.com`,
        tags: n < 4 ? ['vip'] : [],
      }));
      await shop.marketing('POST', '/contacts/batch', { contacts });
      const tagged = async () => (await shop.marketing('GET', '/contacts?tag=vip')).body.pagination.total;
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const work = async (): Promise<void> => {
        const worker = server.app.workers.find(({ name }) => name === 'bulk-actions')!;
        while ((await worker.runOnce()) > 0);
      };
      await page.goto(`/admin/${shop.company_id}/contacts?sort=last_activity_desc`);
      await page.getByRole('columnheader', { name: 'Last activity' }).waitFor();
      await page.getByLabel('Select all rows of this page').check();
      await page.getByRole('button', { name: /^Select all \d+ that match$/ }).click();
      await page.getByRole('button', { name: 'Add a tag' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Tag').fill('vip');
      await dialog.getByRole('button', { name: 'Start' }).click();
      await dialog.getByText(/^0 of \d+ done/).waitFor();
      await work();
      await dialog.getByRole('button', { name: 'Undo' }).waitFor();
      expect(await tagged()).toBeGreaterThan(29);
      expect(await findingsEverywhere(tab)).toEqual([]);
      await dialog.getByRole('button', { name: 'Undo' }).click();
      await dialog.getByText(/^0 of \d+ done/).waitFor();
      await work();
      await dialog.getByText(/^(\d+) of \1 done/).waitFor();
      expect(await dialog.getByRole('button', { name: 'Undo' }).count()).toBe(0);
      expect(await tagged()).toBe(4);
      expect(problems).toEqual([]);
    });
  });
}
