import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { issueSignIn } from '../../access/sessions.ts';
import { drawn } from '../../commerce/pictures/testing-pictures.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { testPerson } from '../people.ts';
import { addAuthenticator } from './authenticator.ts';
import { written } from './browser.ts';
import { DESK, findChromium, openTab, PHONE, type Tab, testBrowser } from './chromium.ts';
import { type Keys, keysOnly } from './keyboard.ts';
import { fillShop } from './shop.ts';
import { startReceiver } from './webhook-receiver.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journeys by keyboard are not tried here\n');
}
const PASSWORD = 'correct horse battery staple';

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium, by keyboard alone', () => {
    const server = testServer({ config: { allowPrivateWebhooks: true } });
    const browser = testBrowser(path);
    let shop: TestCompany;
    let orders: number[];
    let cookie: string | undefined;
    let tab: Tab;
    let page: Page;
    let keys: Keys;

    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
    const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true });
    const title = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 });
    const dialog = () => page.getByRole('dialog');
    const inDialog = (name: string | RegExp) => dialog().getByRole('button', { name, exact: true });
    /** In the open menu, by arrows. */
    const choose = async (name: string): Promise<void> => {
      const item = page.getByRole('menuitem', { name });
      for (let n = 0; n < 20 && !(await item.and(page.locator(':focus')).count()); n++) await keys.press('ArrowDown');
      await keys.backOn(item);
    };
    const at = async (place: string): Promise<void> => {
      await page.goto(`/admin/${shop.company_id}/${place}`);
      await page.locator('h1').first().waitFor();
    };

    beforeAll(async () => {
      server.origin = server.origin.replace('127.0.0.1', 'localhost');
      shop = await server.company({ name: 'Rowan & Thistle' });
      orders = await fillShop(shop);
    });
    beforeEach(async ({ task }) => {
      const isFirst = task.name.startsWith('the first link');
      // The first link makes an owner while there are no people.
      if (!isFirst) cookie ??= (await testPerson(server, { [shop.company_id]: 'owner' })).cookie.split('=')[1]!;
      const viewport = task.name.startsWith('on a phone') ? PHONE : DESK;
      tab = await openTab(browser, server, { viewport, ...(cookie === undefined ? {} : { cookie }) });
      ({ page } = tab);
      keys = await keysOnly(page);
    });
    afterEach(async () => {
      expect(tab.problems).toEqual([]);
    });

    test('the first link makes an owner, who makes a passkey and invites a manager, who signs in and sees no keys', async () => {
      await addAuthenticator(tab);
      const token = await issueSignIn(server.app.db, server.clock.now());
      await page.goto(`/admin/sign-in?token=${token}`);
      await keys.write(page.getByLabel('E-mail address'), 'olivia@example.com');
      await keys.write(page.getByLabel('Your name'), 'Olivia');
      await keys.write(page.getByLabel('Password', { exact: true }), PASSWORD);
      await keys.press('Enter', title('Home'));

      const openMenu = () => keys.use(button('Your account and appearance'), page.getByRole('menuitem').first());
      await openMenu();
      await choose('Your account');
      await keys.press('Enter', title('Your account'));
      await keys.use(button('Add a passkey'), dialog());
      await keys.press('Escape');
      await keys.backOn(button('Add a passkey'));
      await keys.press('Enter', dialog());
      await keys.write(dialog().getByLabel('Name'), 'Laptop');
      await keys.press('Enter', page.getByText('Passkey added'));
      await page.getByRole('cell', { name: 'Laptop' }).waitFor();
      await dialog().waitFor({ state: 'detached' });
      await keys.backOn(button('Add a passkey'));
      await openMenu();
      await choose('Sign out');
      await keys.press('Enter', page.getByRole('heading', { name: 'Sign in' }));
      await keys.use(button('Sign in with a passkey'), title('Your account'));

      await keys.press('g');
      await keys.press('b', title('Members'));
      await keys.use(button('Invite'), dialog());
      await keys.press('Escape');
      await keys.backOn(button('Invite'));
      await keys.press('Enter', dialog());
      await keys.write(dialog().getByLabel('E-mail address'), 'max@example.com');
      await keys.write(dialog().getByLabel('Role'), 'Manager');
      await keys.use(inDialog('Invite'), page.getByRole('heading', { name: 'Invitation for max@example.com' }));
      const url = new URL((await dialog().locator('pre').textContent())!);
      await keys.use(inDialog('Done'), page.getByRole('cell', { name: 'max@example.com' }));
      await keys.backOn(button('Invite'));

      await keys.use(button('Your account and appearance'), page.getByRole('menuitem', { name: 'Sign out' }));
      await keys.press('Escape');
      await keys.backOn(button('Your account and appearance'));
      await keys.press('Enter', page.getByRole('menuitem', { name: 'Sign out' }));
      await choose('Sign out');
      await keys.press('Enter', page.getByRole('heading', { name: 'Sign in' }));
      await page.goto(url.pathname + url.search);
      await keys.write(page.getByLabel('Your name'), 'Max');
      await keys.write(page.getByLabel('Password', { exact: true }), PASSWORD);
      await keys.use(button('Create account'), title('Home'));
      await keys.use(link('Settings'), link('Members'));
      expect(await link('API keys').count()).toBe(0);
    });

    test('a product with a picture, found by search, changed and archived', async () => {
      await at('products');
      await keys.use(link('New product'), title('New product'));
      await keys.write(page.getByLabel('Name'), 'Copper kettle');
      await keys.write(page.getByLabel(/^Price(?! before)/), '79.50');
      await keys.write(page.getByRole('textbox', { name: 'Stock' }), '12');
      const chooser = page.waitForEvent('filechooser');
      await keys.use(button('Choose pictures').last());
      const buffer = await drawn(300, 200, { colour: 'red' });
      await (await chooser).setFiles([{ name: 'kettle.png', mimeType: 'image/png', buffer }]);
      await keys.write(page.getByLabel('Picture 1: what it shows'), 'A kettle');
      await keys.use(button('Create'), title('Copper kettle'));
      await keys.press('g');
      await keys.press('p', title('Products'));
      await page.getByPlaceholder('Name, SKU or description').waitFor();
      await keys.press('/');
      await page.keyboard.type('kettle');
      await page.waitForURL(/search=kettle/);
      await keys.use(link('Copper kettle'), page.getByRole('heading', { name: 'Prices' }));
      await keys.use(link('Edit'), title('Edit Copper kettle'));
      await keys.write(page.getByLabel(/^Price(?! before)/), '89');
      await keys.press('Enter', page.getByRole('definition').filter({ hasText: '$89.00' }));
      await keys.use(button('Archive'), page.getByText('Archived', { exact: true }));
      const { data } = (await shop.commerce('GET', '/products/copper-kettle')).body;
      expect(data).toMatchObject({ price: 89, archived: true, stock_qty: 12, images: [{ alt: 'A kettle' }] });
    });

    test('orders are shipped with tracking numbers; one that was cancelled is told alone; slips are printed', async () => {
      await at('orders?status=pending');
      await page.getByRole('link', { name: `#${orders[0]}` }).waitFor();
      await keys.use(page.getByLabel('Select all rows of this page'), button('Mark as shipped'), 'Space');
      await keys.use(button('Mark as shipped'), dialog());
      await keys.press('Escape');
      await keys.backOn(button('Mark as shipped'));
      await keys.press('Enter', dialog());
      const fields = dialog().getByRole('textbox');
      await keys.to(fields.first());
      for (let n = await fields.count(); n > 0; n--) {
        await page.keyboard.type(`TRACK-${n}`);
        await keys.press('Enter');
      }
      const cancelled = orders[3]!;
      await shop.commerce('PATCH', `/orders/${cancelled}/status`, { status: 'cancelled' });
      await keys.backOn(inDialog('Mark as shipped'));
      await keys.press('Enter', dialog().getByText(/cancelled/));
      await keys.use(inDialog('Close').last(), title('Orders'));
      const states = orders.map(async (id) => (await shop.commerce('GET', `/orders/${id}`)).body.data);
      for (const { id, status, tracking_number } of await Promise.all(states)) {
        expect([status, tracking_number]).toEqual(
          id === cancelled ? ['cancelled', null] : ['shipped', expect.stringMatching(/^TRACK-\d$/)],
        );
      }
      await keys.write(page.getByLabel('Status'), 'Status: Shipped');
      await page.getByRole('link', { name: `#${orders[0]}` }).waitFor();
      await keys.use(page.getByLabel('Select all rows of this page'), button('Packing slips'), 'Space');
      await keys.use(button('Packing slips'), page.getByRole('article').nth(orders.length - 2));
    });

    test('a customer calls: found by name, a delivery skipped, points given back, a note left', async () => {
      await at('home');
      await keys.press('Control+k', dialog());
      await page.keyboard.type('wilhelmina');
      await page.getByRole('option', { name: /Wilhelmina/ }).waitFor();
      await keys.press('Enter', title(/Wilhelmina/));
      const actions = button('Actions for subscription #1');
      await keys.use(actions, page.getByRole('menuitem', { name: 'Skip the next delivery' }));
      await choose('Skip the next delivery');
      await keys.press('Enter', page.getByText(/The next delivery is on/));
      await keys.backOn(actions);
      await keys.use(button('Adjust points'), dialog());
      await keys.write(dialog().getByLabel(/^Points/), '50');
      await keys.write(dialog().getByLabel('Reason'), 'A tin arrived dented');
      await keys.press('Enter', page.getByText('+50').first());
      await dialog().waitFor({ state: 'detached' });
      await keys.backOn(button('Adjust points'));
      await keys.write(page.getByLabel('Write a note'), 'Called about the dented tin.');
      await keys.use(button('Add note'), button('Delete this note'));
      await keys.use(button('Delete this note'), dialog());
      await keys.press('Escape');
      await keys.backOn(button('Delete this note'));
      await keys.press('Enter', dialog());
      await keys.use(inDialog('Delete'));
      await button('Delete this note').waitFor({ state: 'detached' });
      await keys.press('Shift');
    });

    test('VAT, a zone and a code are set up, and an order to Norway is calculated', async () => {
      await at('taxes');
      await keys.use(link('New tax rule'), title('New tax rule'));
      await keys.write(page.getByLabel('Name'), 'MVA 25 %');
      await keys.write(page.getByLabel('Rate in percent'), '25');
      await keys.write(page.getByLabel('Country'), 'Norway');
      await keys.use(page.getByLabel('Taxes shipping too'), undefined, 'Space');
      await keys.use(button('Create'), link('MVA 25 %'));
      await at('shipping/zones/new');
      await keys.write(page.getByLabel('Name'), 'Nordics');
      await keys.write(page.getByLabel('Countries'), 'Norway, Sweden');
      await keys.use(button('Create'), page.getByRole('heading', { name: 'Nordics' }));
      const zone = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Nordics' }) });
      await keys.use(zone.getByRole('link', { name: 'Add method' }), title(/method/i));
      await keys.write(page.getByLabel('Name'), 'Post');
      await keys.write(page.getByLabel('Cost'), '9');
      await keys.press('Enter', zone.getByText('Post'));
      await keys.press('g');
      await keys.press('d', title('Promo codes'));
      await keys.use(link('New promo code').first(), title('New promo code'));
      await keys.write(page.getByLabel('Code').first(), 'NORTH');
      await keys.write(page.getByLabel('Percent').first(), '20');
      await keys.write(page.getByLabel('Uses per customer'), '1');
      await written(page, () => keys.press('Enter', page.getByText('Created', { exact: true }).first()));
      await at('orders/new');
      await keys.write(page.getByLabel('Add a product'), 'matcha');
      await page.getByRole('button', { name: /Matcha/ }).waitFor();
      await keys.press('Enter', page.getByLabel('Quantity of Matcha, monthly'));
      await keys.write(page.getByLabel('Find the customer'), 'wilhelm');
      await keys.use(page.getByRole('button', { name: /Wilhelmina/ }), button('Choose another'));
      await keys.write(page.getByLabel('Country'), 'Norway');
      await keys.write(page.getByLabel('Promo code'), 'north');
      // 24.00, less 20 percent, and 9.00 for shipping, both taxed with 25 percent.
      await page.getByRole('definition').filter({ hasText: '$35.25' }).waitFor();
    });

    test('Home compares yesterday with the week before, and leads to what needs attention', async () => {
      await at('home');
      await keys.to(page.getByRole('radio', { name: '30 days' }));
      const yesterday = page.getByRole('radio', { name: 'Yesterday' });
      for (let n = 0; n < 5 && !(await yesterday.isChecked()); n++) await keys.press('ArrowLeft');
      await page.waitForURL(/period=yesterday/);
      await keys.write(page.getByLabel('Compare with'), 'With a week');
      await page.waitForURL(/compare=/);
      await page.getByText('Revenue').first().waitFor();
      await keys.use(page.getByRole('link', { name: /Sencha/ }).first(), title(/Sencha/));
      await page.goBack();
      await title('Home').waitFor();
      await keys.press('Tab');
    });

    test('a key is created with scopes and revoked; an endpoint is added and a delivery replayed', async () => {
      await at('keys');
      await keys.use(button('Create a key'), dialog());
      await keys.write(dialog().getByLabel('Name'), 'Till');
      await keys.use(dialog().getByLabel('products:read'), undefined, 'Space');
      await keys.use(inDialog('Create'), page.getByRole('heading', { name: 'Key Till' }));
      await keys.use(inDialog('Done'), button('Actions for Till'));
      await dialog().waitFor({ state: 'detached' });
      await keys.backOn(button('Create a key'));
      await keys.use(button('Actions for Till'), page.getByRole('menuitem', { name: 'Revoke' }));
      await choose('Revoke');
      await keys.press('Enter', dialog());
      await keys.use(inDialog('Revoke'), page.getByText('Revoked', { exact: true }).first());

      await keys.press('g');
      await keys.press('w', title('Webhooks'));
      await keys.use(button('Add an endpoint').first(), dialog());
      const receiver = await startReceiver();
      await keys.write(dialog().getByLabel('Address'), receiver.url);
      await keys.use(inDialog('Create'), page.getByRole('heading', { name: 'Signing secret' }));
      await keys.use(inDialog('Done'), link(receiver.url));
      await keys.use(link(receiver.url), title(receiver.url));
      receiver.status = 503;
      await keys.use(button('Send a test'), page.getByText('Test sent'));
      const deliver = server.app.workers.find(({ name }) => name === 'webhook-deliveries')!;
      // Down for a day: so long it is tried again, less and less often.
      for (let hour = 0; hour <= 28; hour++) {
        await deliver.runOnce();
        server.clock.advance(3_600_000);
      }
      const tried = receiver.received.length;
      expect(tried).toBeGreaterThan(5);
      expect(new Set(receiver.received).size).toBe(1);

      receiver.status = 204;
      // The session has ended meanwhile: somebody signs in on the next day.
      cookie = (await testPerson(server, { [shop.company_id]: 'owner' })).cookie.split('=')[1]!;
      await tab.context.addCookies([{ name: 'tradeloom', value: cookie, url: server.origin, httpOnly: true }]);
      await at('webhooks/1?status=failed');
      await page.getByText('HTTP 503').waitFor();
      await keys.use(page.getByLabel('Select all rows of this page'), button('Send again'), 'Space');
      await keys.use(button('Send again'), page.getByText('1 delivery is sent again'));
      while ((await deliver.runOnce()) > 0);
      expect(receiver.received.slice(tried)).toEqual([receiver.received[0]]);
      await at('webhooks/1?status=delivered');
      await page.getByText('HTTP 204').waitFor();
      await receiver.close();
    });

    test('on a phone with a keyboard, an order is shipped and a campaign paused', async () => {
      const { data } = (await shop.commerce('GET', '/orders?status=processing')).body;
      expect(data).toEqual([]);
      const order = { customer_id: 1, items: [{ product_id: 1, qty: 1 }], shipping_address: '12 Long Lane' };
      const place = { shipping_city: 'Amsterdam', shipping_zip: '1016 EK', shipping_country: 'NL' };
      const { id } = (await shop.commerce('POST', '/orders', { ...order, ...place })).body.data;
      const { list_id } = (await shop.marketing('POST', '/lists', { name: 'News' })).body;
      await shop.marketing('POST', '/contacts/batch', {
        contacts: [{ email: 'ada@example.com', list_ids: [list_id] }],
      });
      const mail = { name: 'Spring', type: 'email', subject: 'Spring', content: '<p>Spring</p>', list_id };
      const { campaign_id } = (await shop.marketing('POST', '/campaigns', mail)).body;
      await shop.marketing('POST', `/campaigns/send/${campaign_id}`);
      await at('home');
      const bar = page.getByRole('navigation', { name: 'Main pages' });
      await keys.use(bar.getByRole('link', { name: 'Orders' }), link(`#${id}`));
      await keys.use(link(`#${id}`), title(`Order #${id}`));
      await keys.use(button('Mark as shipped'), dialog());
      await keys.write(dialog().getByLabel(`Tracking number of order ${id}`), 'PHONE-1');
      await keys.press('Enter');
      await keys.press('Enter', page.getByText('Shipped', { exact: true }).first());
      await dialog().waitFor({ state: 'detached' });
      await keys.press('Shift');
      await keys.use(bar.getByRole('button', { name: 'More' }), dialog());
      await keys.press('Escape');
      await keys.backOn(bar.getByRole('button', { name: 'More' }));
      await keys.press('Enter', dialog());
      await keys.use(dialog().getByRole('link', { name: 'Campaigns' }), title('Campaigns'));
      await dialog().waitFor({ state: 'detached' });
      await keys.press('Shift');
      await keys.use(link('Spring'), title('Spring'));
      await keys.use(button('Pause'), page.getByText('Paused', { exact: true }).first());
      await keys.press('Shift');
      expect((await shop.marketing('GET', `/campaigns/${campaign_id}`)).body.status).toBe('paused');
    });
  });
}
