import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedServer, type TestBody, type TestCompany } from '../harness.ts';
import { findingsEverywhere, operatorCookie } from './browser.ts';
import { findChromium, openTab, type Tab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, that what is typed is kept is not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('typed input', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let tab: Tab;
    let page: Page;

    const made = async (api: 'commerce' | 'marketing', at: string, body: object): Promise<TestBody> => {
      const response = await shop[api]('POST', at, body);
      if (response.status !== 201) throw new Error(`${at}: ${JSON.stringify(response.body)}`);
      return response.body;
    };
    const at = (place: string) => page.goto(`/admin/${shop.company_id}/${place}`);
    /** Within the app, as a link does. */
    const move = (place: string) => page.evaluate(`history.pushState({}, '', '/admin/${shop.company_id}/${place}')`);
    const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
    const saved = () => page.getByText('Saved', { exact: true }).last().waitFor();

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      await shop.commerce('PATCH', '/settings', { time_zone: 'Asia/Kolkata' });
      tab = await openTab(browser, server, { cookie: await operatorCookie(server) });
      page = tab.page;
    });
    afterAll(async () => {
      expect(tab.problems).toEqual([]);
    });

    test('only changed fields are sent, and an ambiguous number is rejected at its field', async () => {
      const { data } = await made('commerce', '/products', { name: 'Sencha', price: 10, stock_qty: 8 });
      await at(`products/${data.id}/edit`);
      await page.getByLabel('Name').fill('Sencha, first flush');
      expect(await page.getByLabel(/^Stock/).count()).toBe(0);
      await shop.commerce('PATCH', `/products/${data.id}`, { price: 12, stock_qty: 3 });
      await save();
      await page.getByRole('heading', { name: 'Sencha, first flush', level: 1 }).waitFor();
      const after = (await shop.commerce('GET', `/products/${data.id}`)).body.data;
      expect(after).toMatchObject({ name: 'Sencha, first flush', price: 12, stock_qty: 3 });

      await at(`products/${data.id}/edit`);
      const price = page.getByLabel(/^Price(?! before)/);
      await price.fill('12.0');
      await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
      await price.fill('1,250');
      await save();
      await page.getByText('“1,250” can mean 1250 or 1.25: write one of them.').waitFor();
      await page.reload();
      await page.getByText('Your unsaved changes were restored.').waitFor();
      expect(await price.inputValue()).toBe('1,250');
      await page.getByRole('button', { name: 'Discard' }).click();
      expect(await price.inputValue()).toBe('12');
    });

    test('a note begun for one customer is not written for the next', async () => {
      const [one, two] = [
        await made('commerce', '/customers', { email: 'ada@example.com', first_name: 'Ada' }),
        await made('commerce', '/customers', { email: 'bea@example.com', first_name: 'Bea' }),
      ];
      await at(`customers/${one.data.id}`);
      await page.getByLabel('Write a note').fill('Calls back on Monday');
      await move(`customers/${two.data.id}`);
      await page.getByRole('heading', { name: 'Bea', level: 1 }).waitFor();
      expect(await page.getByLabel('Write a note').inputValue()).toBe('');
    });

    test('a campaign is scheduled in the time of the shop, paused, resumed and unscheduled', async () => {
      const { list_id } = await made('marketing', '/lists', { name: 'Newsletter' });
      const { campaign_id: id } = await made('marketing', '/campaigns', {
        name: 'Spring',
        type: 'email',
        subject: 'Spring',
        content: '<p>Spring</p>',
        list_id,
      });
      await at(`campaigns/${id}`);
      const choose = async (name: string): Promise<void> => {
        await page.getByRole('button', { name: 'More', exact: true }).click();
        await page.getByRole('menuitem', { name }).click();
      };
      await choose('Schedule');
      await page.getByText('At a time', { exact: true }).click();
      await page.getByText('Time zone: Asia/Kolkata.').waitFor();
      await page.getByLabel('Scheduled for').fill('2099-05-04T09:30');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Is everything right?' }).waitFor();
      // It is kept until the campaign is scheduled.
      await page.reload();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Schedule' }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      expect((await shop.marketing('GET', `/campaigns/${id}`)).body.scheduled_at).toBe('2099-05-04 04:00:00');
      await choose('Change the time');
      expect(await page.getByLabel('Scheduled for').inputValue()).toBe('2099-05-04T09:30');
      await page.goBack();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused', { exact: true }).last().waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('Resumed', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      await choose('Unschedule');
      await page.getByText('No longer scheduled: it is a draft').waitFor();
      expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({
        status: 'draft',
        scheduled_at: null,
      });
    });

    test('a scanner goes from number to number, and a closed dialog keeps them', async () => {
      const { data: tea } = await made('commerce', '/products', { name: 'Matcha', price: 5, stock_qty: 9 });
      const { data: customer } = await made('commerce', '/customers', { email: 'ingrid@example.com' });
      const address = { shipping_address: '1 Long Lane', shipping_city: 'Pune', shipping_zip: '411001' };
      const ids: number[] = [];
      for (let n = 0; n < 3; n++) {
        const items = [{ product_id: tea.id, qty: 1 }];
        const body = { customer_id: customer.id, items, ...address, shipping_country: 'IN' };
        ids.push((await made('commerce', '/orders', body)).data.id);
      }
      const open = async (): Promise<void> => {
        await at('orders');
        await page.getByLabel('Select all rows of this page').check();
        await page.getByRole('button', { name: 'Mark as shipped' }).click();
      };
      await open();
      const dialog = page.getByRole('dialog', { name: 'Ship 3 orders' });
      const numbers = dialog.getByPlaceholder('Tracking number');
      await numbers.first().focus();
      await page.keyboard.type('SCAN-1\nSCAN-2\n');
      await page.keyboard.press('Escape');
      await expect.poll(() => numbers.nth(1).inputValue()).toBe('SCAN-2');
      await open();
      expect(await numbers.first().inputValue()).toBe('SCAN-1');
      const untracked = dialog.getByText('One order has no tracking number.');
      await untracked.waitFor();
      await numbers.nth(2).fill('SCAN-3');
      await untracked.waitFor({ state: 'detached' });
      for (const id of ids) {
        expect((await shop.commerce('GET', `/orders/${id}`)).body.data.status).toBe('pending');
      }
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await page.getByText('3 orders marked as shipped').waitFor();
      await expect
        .poll(() => page.evaluate(`sessionStorage.getItem('draft-${shop.company_id}-tracking-numbers')`))
        .toBe(null);
    });

    test('an e-mail of blocks and the brand are restored after a reload', async () => {
      await at('templates/new/blocks');
      await page.getByLabel('Name').first().fill('Half an e-mail');
      await page.reload();
      await page.getByText('Your unsaved changes were restored.').waitFor();
      expect(await page.getByLabel('Name').first().inputValue()).toBe('Half an e-mail');
      await save();
      await page.getByRole('heading', { name: 'Half an e-mail', level: 1 }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Half an e-mail', level: 1 }).waitFor();
      expect(await page.getByText('Your unsaved changes were restored.').count()).toBe(0);

      await at('settings/brand');
      await page.getByLabel('Website').fill('https://rowan.example');
      await page.reload();
      await page.getByText('Your unsaved changes were restored.').waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      await save();
      await saved();
      expect(await page.getByLabel('Website').inputValue()).toBe('https://rowan.example');
      await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    });

    test('a flow keeps what is typed while it is saved, and asks before it replaces what somebody else saved', async () => {
      const { flow_id: id } = await made('marketing', '/flows', {
        name: 'Tags',
        trigger_type: 'order_placed',
        connections: [{ from: 'trigger', to: 'tag' }],
        steps: [{ step_id: 'tag', type: 'add_tag', config: { tag: 'one' } }],
      });
      const tagOf = async () => (await shop.marketing('GET', `/flows/${id}`)).body.steps[0].config.tag;
      let sent = 0;
      const typedOn = Promise.withResolvers<void>();
      await page.route(`**/flows/${id}`, async (route) => {
        if (route.request().method() === 'PATCH') {
          sent++;
          await typedOn.promise;
        }
        await route.continue();
      });
      await at(`flows/${id}/edit`);
      await page.locator('[data-step="tag"]').click();
      const tag = page.getByRole('textbox', { name: 'Tag' });
      await tag.fill('two');
      await page.keyboard.press('Control+s');
      await page.keyboard.press('Control+s');
      await tag.fill('three');
      typedOn.resolve();
      await saved();
      expect([await tag.inputValue(), await tagOf(), sent]).toEqual(['three', 'two', 1]);

      const steps = [{ step_id: 'tag', type: 'add_tag', config: { tag: 'theirs' } }];
      await shop.marketing('PATCH', `/flows/${id}`, { steps });
      await save();
      const question = page.getByRole('dialog', { name: 'This was changed meanwhile' });
      await question.getByRole('button', { name: 'Cancel' }).click();
      expect([await tag.inputValue(), await tagOf()]).toEqual(['three', 'theirs']);
      await save();
      await question.getByRole('button', { name: 'Replace theirs' }).click();
      await expect.poll(tagOf).toBe('three');
      await page.unroute(`**/flows/${id}`);
    });

    test('a declined confirmation says that nothing was done', async () => {
      await page.route('**/keys', (route) =>
        route.request().method() === 'GET'
          ? route.continue()
          : route.fulfill({ status: 403, json: { error: 'confirmation_required', message: 'Confirm who you are' } }),
      );
      await at('keys');
      await page.getByRole('button', { name: 'Create a key' }).click();
      const dialog = page.getByRole('dialog').filter({ has: page.getByLabel('Requests per hour') });
      await dialog.getByLabel('Name').fill('Till');
      await dialog.getByRole('button', { name: 'Create' }).click();
      const question = page.getByRole('dialog', { name: 'Confirm that it is you' });
      await question.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Nothing was done, because you did not confirm that it is you.').waitFor();
      await page.unroute('**/keys');
    });

    test('where the browser gives no clipboard, copying goes another way', async () => {
      const { form_id } = await made('marketing', '/forms', {
        name: 'Newsletter',
        allowed_origins: ['https://shop.example'],
        fields: [{ name: 'first_name' }],
      });
      await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
      await at(`forms/${form_id}`);
      await page.getByRole('button', { name: 'Copy' }).first().click();
      await page.getByText('Copied', { exact: true }).waitFor();
    });
  });
}
