import { beforeAll, describe, expect, test } from 'vitest';
import { settle } from '../../erasure/markers.ts';
import { signUp, testStore } from '../../store/testing-store.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { testPerson } from '../people.ts';
import { accessibilityViolations, findingsEverywhere, restingBox } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';
import { fillShop } from './shop.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journeys about customers are not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;
    let orders: number[];

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      await shop.marketing('POST', '/flows', {
        name: 'Thanks for the order',
        trigger_type: 'order_placed',
        status: 'active',
        reentry: { mode: 'always', concurrent: true },
        steps: [
          { step_id: 'mail', type: 'send_email', config: { subject: 'Thank you', content: '<p>It is on its way</p>' } },
        ],
        connections: [{ from: 'trigger', to: 'mail' }],
      });
      orders = await fillShop(shop);
      await shop.commerce('PATCH', '/customers/1', { accepts_marketing: true });
      await settle(server);
      const order = { customer_id: 1, items: [{ product_id: 1, qty: 1 }], shipping_address: '12 Long Lane' };
      const place = { shipping_city: 'Amsterdam', shipping_zip: '1016 EK', shipping_country: 'NL' };
      orders.push((await shop.commerce('POST', '/orders', { ...order, ...place })).body.data.id);
      await settle(server);
      const person = await testPerson(server, { [shop.company_id]: 'manager' });
      cookie = person.cookie.split('=')[1]!;
    });

    test('a customer calls: found by name, everything on one page, a delivery skipped, points given back, a note left', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/home`);
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('wilhelmina');
      await page.getByRole('option', { name: /Wilhelmina/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /Wilhelmina/, level: 1 }).waitFor();

      const section = (name: RegExp) =>
        page.locator('section').filter({ has: page.getByRole('heading', { name, level: 2 }) });
      await section(/^Orders/)
        .getByRole('link', { name: `#${orders.at(-1)}` })
        .waitFor();
      await section(/^Consent/)
        .getByText('Subscribed')
        .first()
        .waitFor();
      await section(/^Messages/)
        .getByRole('link', { name: 'Thanks for the order' })
        .first()
        .waitFor();

      expect(await findingsEverywhere(tab)).toEqual([]);
      const before = (await shop.commerce('GET', '/subscriptions/1')).body.data.next_billing_date;
      await page.getByRole('button', { name: 'Actions for subscription #1' }).click();
      await page.getByRole('menuitem', { name: 'Skip the next delivery' }).click();
      await page.getByText(/The next delivery is on/).waitFor();
      const after = (await shop.commerce('GET', '/subscriptions/1')).body.data.next_billing_date;
      expect(Date.parse(after)).toBeGreaterThan(Date.parse(before));

      const points = (await shop.commerce('GET', '/customers/1/loyalty')).body.data.current_balance;
      // The sections above are read anew: a button that moves while it is pressed is not clicked.
      const adjust = page.getByRole('button', { name: 'Adjust points' });
      await restingBox(adjust);
      await adjust.click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(/^Points/).fill('50');
      await dialog.getByLabel('Reason').fill('A tin arrived dented');
      expect(await findingsEverywhere(tab)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await section(/^Loyalty/)
        .getByText('A tin arrived dented')
        .waitFor();
      await section(/^Loyalty/)
        .getByText('+50')
        .waitFor();
      expect((await shop.commerce('GET', '/customers/1/loyalty')).body.data.current_balance).toBe(points + 50);

      await page.getByLabel('Write a note').fill('Called about the dented tin.\nIs happy again.');
      await page.getByRole('button', { name: 'Add note' }).click();
      await section(/^Notes/)
        .getByText('Is happy again.')
        .waitFor();
      await section(/^Notes/)
        .getByText(/Person \d/)
        .waitFor();
      await expect.poll(() => page.getByLabel('Write a note').inputValue()).toBe('');
      const { data } = (await shop.commerce('GET', '/customers/1/notes')).body;
      expect(data).toMatchObject([{ text: 'Called about the dented tin.\nIs happy again.', order_id: null }]);
      expect(problems).toEqual([]);
    });

    test('the messages, the consent with its history, and what was in a message are a click away', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/customers/1`);
      await page
        .getByText(/\d entr(y|ies)/)
        .first()
        .click();
      await page
        .getByText(/· Event/)
        .first()
        .waitFor();
      expect(await accessibilityViolations(tab)).toEqual([]);
      await page.getByRole('link', { name: 'Thanks for the order' }).first().click();
      await page.getByRole('heading', { name: 'Thank you' }).waitFor();
      await page.frameLocator('iframe').getByText('It is on its way').waitFor();
      expect(await accessibilityViolations(tab)).toEqual([]);
      // The pixel by which opens are counted: looking at a message here is none.
      expect(problems.filter((problem) => !problem.includes('/t/o/'))).toEqual([]);
    });

    test('order, customer and contact lead to each other, and the contact tells what they bought and received', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/orders/${orders.at(-1)}`);
      await page.getByRole('link', { name: /^Contact #/ }).click();
      await page.getByRole('heading', { name: /Wilhelmina/, level: 1 }).waitFor();
      const contact = page.url();
      const timeline = page.getByRole('list', { name: 'Timeline' });
      const placed = timeline.getByRole('listitem').filter({ hasText: 'Placed an order' });
      await placed.getByRole('link', { name: `Order #${orders.at(-1)}` }).waitFor();
      await placed.first().getByText(/1 × /).waitFor();
      const mail = timeline.getByRole('listitem').filter({ hasText: 'Thank you' });
      await mail.first().getByRole('link', { name: 'Thanks for the order' }).waitFor();
      expect(await findingsEverywhere(tab, 'contact')).toEqual([]);

      const shown = async (kind: string): Promise<string[]> => {
        await page.getByRole('combobox', { name: 'Entries' }).selectOption({ label: kind });
        await page.waitForURL((url) => url.searchParams.has('kind'));
        await timeline.getByRole('listitem').first().waitFor();
        return timeline.getByRole('listitem').allInnerTexts();
      };
      expect((await shown('Messages')).filter((text) => !text.startsWith('Thank you'))).toEqual([]);
      await timeline.getByText('Placed an order').first().waitFor({ state: 'detached' });
      await page.getByRole('combobox', { name: 'Entries' }).selectOption({ label: 'Orders' });
      await timeline.getByText('Placed an order').first().waitFor();
      expect(await timeline.getByText('Thank you').count()).toBe(0);

      const beside = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Customer', level: 2 }) });
      await beside.getByText('Spent', { exact: true }).waitFor();
      await beside.getByRole('link', { name: `#${orders.at(-1)}` }).waitFor();
      await beside.getByRole('link', { name: /Wilhelmina/ }).click();
      await page.waitForURL('**/customers/1');
      const tags = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Tags', level: 2 }) });
      await tags.getByRole('button', { name: 'Change tags' }).click();
      await page.getByRole('dialog').getByLabel('Tags').fill('vip, tea lover');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await tags.getByRole('link', { name: 'tea lover' }).waitFor();
      expect(await findingsEverywhere(tab, 'customer')).toEqual([]);
      await page.getByRole('link', { name: /^Contact #/ }).click();
      await page.waitForURL(contact);
      await tags.getByRole('link', { name: 'vip' }).waitFor();
      await page.goBack();
      await tags.getByRole('link', { name: 'tea lover' }).click();
      await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor();
      await page.getByRole('row', { name: /Wilhelmina/ }).waitFor();
      expect(await page.getByRole('row').count()).toBe(2);
      expect(problems).toEqual([]);
    });

    test('two customers who are one are merged after a confirmation, and the other is gone', async () => {
      const twin = { email: 'w.k@example.org', first_name: 'Willa', last_name: 'Konstantin' };
      const { id } = (await shop.commerce('POST', '/customers', twin)).body.data;
      await shop.commerce('POST', `/customers/${id}/notes`, { text: 'Is Wilhelmina, says she' });
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/customers/1`);
      await page.getByRole('button', { name: 'More', exact: true }).first().click();
      await page.getByRole('menuitem', { name: 'Merge another customer' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Who becomes part of this customer?').fill('konstantin');
      expect(await dialog.getByRole('button', { name: 'Merge' }).isDisabled()).toBe(true);
      await dialog.getByRole('radio', { name: /Willa/ }).check();
      expect(await dialog.getByRole('radio').count()).toBe(1);
      await dialog.getByText(/Willa Konstantin .* is gone afterwards/).waitFor();
      // Every dialog's head is a second banner to axe, behind which the page's own is hidden.
      const violations = await accessibilityViolations(tab);
      expect(violations.filter((one) => !one.startsWith('landmark-'))).toEqual([]);
      await dialog.getByRole('button', { name: 'Merge' }).click();
      await page.getByText('The customers were merged.').waitFor();
      await page.getByText('Is Wilhelmina, says she').waitFor();
      expect((await shop.commerce('GET', `/customers/${id}`)).status).toBe(404);
      expect(problems).toEqual([]);
    });

    test('a customer is invited, signs in, is signed out by the shop, and the account is closed', async () => {
      const email = 'tomasz@example.com';
      const { id } = (await shop.commerce('POST', '/customers', { email, first_name: 'Tomasz' })).body.data;
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const account = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Account', level: 2 }) });
      const act = async (action: string, done: string) => {
        await account.getByRole('button', { name: action }).click();
        await page.getByRole('dialog').getByRole('button', { name: action }).click();
        await page.getByText(done).first().waitFor();
      };
      await page.goto(`/admin/${shop.company_id}/customers/${id}`);
      await account.getByText('No account').waitFor();
      await act('Invite', 'The invitation is on its way.');
      await account.getByText('Invited').waitFor();
      await signUp(server, shop, await testStore(server, shop.company_id), email);
      await page.reload();
      await account.getByText('1 device').waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      await act('Sign out everywhere', 'The customer was signed out.');
      await account.getByText('0 devices').waitFor();
      await act('Close the account', 'The account was closed.');
      await account.getByText('Closed').waitFor();
      expect((await shop.commerce('GET', `/customers/${id}`)).body.data.account).toBe('closed');
      expect(problems).toEqual([]);
    });

    test('the page of an order tells what happened, takes notes, and prints an invoice', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const id = orders.at(-1)!;
      await shop.commerce('PATCH', '/settings', { address: 'Canal 1\n1011 Amsterdam', tax_number: 'NL123456789B01' });
      await page.goto(`/admin/${shop.company_id}/orders/${id}`);
      const timeline = page.getByRole('list', { name: 'Timeline' });
      await timeline.getByText(/Points: Earned \+/).waitFor();
      await timeline.getByRole('link', { name: 'Thanks for the order' }).waitFor();
      await page.getByLabel('Write a note').fill('Leave it with the neighbour');
      await page.getByRole('button', { name: 'Add note' }).click();
      await timeline.getByText('Leave it with the neighbour').waitFor();
      await page.getByRole('button', { name: 'Delete this note' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await expect.poll(() => page.getByText('Leave it with the neighbour').count()).toBe(0);
      expect(await accessibilityViolations(tab)).toEqual([]);

      await page.getByRole('button', { name: 'Print' }).click();
      await page.getByRole('menuitem', { name: 'Invoice' }).click();
      await page.getByRole('heading', { name: `Invoice ${id}`, level: 2 }).waitFor();
      await page.getByText('Tax id: NL123456789B01').waitFor();
      await page.getByText('VAT NL 21 % (21%)').waitFor();
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByRole('link', { name: `Order #${id}` }).isVisible()).toBe(false);
      expect(await page.getByText('1011 Amsterdam').isVisible()).toBe(true);
      expect((await page.pdf()).toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
      expect(problems).toEqual([]);
    });
  });
}
