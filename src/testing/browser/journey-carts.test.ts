import { beforeAll, describe, expect, test } from 'vitest';
import { fold } from '../../admin/live/testing.ts';
import { sharedServer, type TestCompany } from '../harness.ts';
import { findingsEverywhere, findingsOfPublic, operatorCookie, streamReady, written } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of carts is not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;
    let kettle: number;
    let customer: number;

    const made = async (path: string, body: object): Promise<number> => {
      const response = await shop.commerce('POST', path, body);
      expect(response.status).toBe(201);
      return response.body.data.id;
    };
    const numberIn = (url: string) => Number(/cart=\D*(\d+)/.exec(decodeURIComponent(url))![1]);
    const cartOf = async (id: number) => (await shop.commerce('GET', `/carts/${id}`)).body.data;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      cookie = await operatorCookie(server);
      kettle = await made('/products', { name: 'Copper kettle', price: 40, stock_qty: 8 });
      await made('/products', { name: 'Whisk', price: 5, stock_qty: 8 });
      await made('/products', {
        name: 'Cup',
        options: [{ name: 'Glaze', values: ['Ash', 'Moss'] }],
        variants: ['Ash', 'Moss'].map((value) => ({ options: [{ name: 'Glaze', value }], price: 10, stock_qty: 3 })),
      });
      customer = await made('/customers', { email: 'ingrid@example.com', first_name: 'Ingrid', last_name: 'Dahl' });
      await made('/promo-codes', { code: 'KETTLE', type: 'percent', value: 10 });
      const zone = await made('/shipping-zones', { name: 'Nordics', countries: ['NO'] });
      await made('/shipping-methods', { zone_id: zone, name: 'Post', type: 'flat', cost: 4 });
      await made('/shipping-methods', { zone_id: zone, name: 'Courier', type: 'flat', cost: 9 });
    });

    test('staff take an order by telephone, with live totals, and place it', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const total = (amount: string) => page.getByRole('definition').filter({ hasText: amount }).last().waitFor();
      const add = async (name: string, button: RegExp): Promise<void> => {
        await page.getByLabel('Add a product').fill(name);
        await written(page, () => page.getByRole('button', { name: button }).click());
      };
      await page.goto(`/admin/${shop.company_id}/orders`);
      await page.getByRole('link', { name: 'New order' }).first().click();
      await page.getByRole('heading', { name: 'New order' }).waitFor();
      await page.getByRole('button', { name: 'Place order' }).click();
      await page.getByText('a customer, or an e-mail address').waitFor();
      expect(await findingsEverywhere(tab, 'cart-empty')).toEqual([]);
      expect((await shop.commerce('GET', '/carts')).body.data).toEqual([]);

      await add('kettle', /Copper kettle/);
      await page.waitForURL(/\/orders\/new\?cart=/);
      const id = numberIn(page.url());
      await total('$40.00');
      await add('cup', /Moss/);
      await total('$50.00');
      await page.getByText('Glaze: Moss').waitFor();
      await page.getByLabel('Quantity of Copper kettle').fill('300');
      await page.getByText('There are not enough in stock.').waitFor();
      await page.getByLabel('Quantity of Copper kettle').fill('2');
      await total('$90.00');
      await page.getByRole('button', { name: 'Own price of Copper kettle' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Price').fill('30');
      await dialog.getByLabel('Reason').fill('Dented');
      await written(page, () => dialog.getByRole('button', { name: 'Save' }).click());
      await page.getByText('$30.00 (own price)').waitFor();
      await page.getByText('Dented').waitFor();
      await total('$70.00');
      await page.getByRole('button', { name: /^Remove Cup/ }).click();
      await total('$60.00');

      await page.getByLabel('Find the customer').fill('dahl');
      await page.getByRole('button', { name: /Ingrid Dahl/ }).click();
      await page.getByRole('button', { name: 'Choose another' }).waitFor();
      expect(await page.getByLabel('E-mail address').count()).toBe(0);
      await page.getByLabel('Promo code').fill('NOTHING');
      await page.getByText('This promo code does not exist.').waitFor();
      await page.getByLabel('Promo code').fill('kettle');
      await total('$54.00');
      await page.getByLabel('Country').fill('Norway');
      await total('$58.00');
      await page.getByLabel('Shipping', { exact: true }).selectOption('Courier: $9.00');
      await total('$63.00');
      await page.getByLabel('Street and number').fill('Storgata 1');
      await page.getByLabel('Postal code').fill('0150');
      await page.getByLabel('City').fill('Oslo');
      await page.getByRole('textbox', { name: 'Note' }).fill('Ring twice');
      await expect.poll(async () => (await cartOf(id)).note).toBe('Ring twice');
      expect(await cartOf(id)).toMatchObject({ customer_id: customer, shipping_country: 'NO', origin: 'staff' });
      await expect.poll(() => page.locator('[class*=_stale_]').count()).toBe(0);
      expect(await findingsEverywhere(tab, 'cart-filled')).toEqual([]);

      await page.getByRole('button', { name: 'Place order' }).click();
      await page.getByRole('heading', { name: /^Order #/ }).waitFor();
      await page.getByText('Staff', { exact: true }).waitFor();
      await page.getByText('Ring twice').first().waitFor();
      expect(await findingsEverywhere(tab, 'cart-order')).toEqual([]);
      await page.getByRole('link', { name: `#${id}`, exact: true }).click();
      await page.getByRole('heading', { name: `Cart #${id}` }).waitFor();
      await page.getByRole('link', { name: /^Order #/ }).waitFor();
      await page.getByText('2 units').waitFor();
      expect(await findingsEverywhere(tab, 'cart-placed')).toEqual([]);
      expect(await cartOf(id)).toMatchObject({ status: 'placed', total: 63, promo_discount: 6 });
      expect(problems).toEqual([]);
    });

    test('the first field that is typed begins a cart, and what is typed meanwhile stays; another order begins without it', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const before = (await shop.commerce('GET', '/carts')).body.meta.pagination.total;
      const isHeld = Promise.withResolvers<void>();
      await page.route(/\/carts$/, async (route) => {
        await isHeld.promise;
        await route.continue();
      });
      await page.goto(`/admin/${shop.company_id}/orders/new`);
      const email = page.getByLabel('E-mail address');
      const posted = page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/carts'));
      await email.fill('una@example.com');
      await posted;
      await page.getByLabel('First name').pressSequentially('Una');
      isHeld.resolve();
      await page.waitForURL(/\?cart=/);
      const id = numberIn(page.url());
      await page.keyboard.type(' Gast');
      await expect.poll(() => cartOf(id)).toMatchObject({ email: 'una@example.com', first_name: 'Una Gast' });
      await page.reload();
      await expect.poll(() => email.inputValue()).toBe('una@example.com');
      await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
      await page.getByRole('link', { name: 'New order' }).first().click();
      await page.waitForURL(/\/orders\/new$/);
      await expect.poll(() => email.inputValue()).toBe('');
      expect((await shop.commerce('GET', '/carts')).body.meta.pagination.total).toBe(before + 1);
      expect(problems).toEqual([]);
    });

    test('what somebody else has changed meanwhile is not replaced without a question', async () => {
      const id = await made('/carts', { email: 'guest@example.com', lines: [{ product_id: kettle, qty: 1 }] });
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/carts/${id}`);
      const note = page.getByRole('textbox', { name: 'Note' });
      await note.waitFor();
      /** Types while somebody else changes the cart, before the page hears of it. */
      const meanwhile = async (change: () => Promise<unknown>, type: () => Promise<void>) => {
        const reads = new RegExp(`/api/.*/carts/${id}$`);
        const isTyped = Promise.withResolvers<void>();
        await page.route(reads, async (route) => {
          await isTyped.promise;
          await route.continue();
        });
        await change();
        await type();
        isTyped.resolve();
        await page.unroute(reads);
      };
      await meanwhile(
        () => shop.commerce('PATCH', `/carts/${id}`, { note: 'Gift', phone: '+4722000000' }),
        () => note.fill('Ring twice'),
      );
      const conflict = page.getByText('Somebody else has changed this cart in the meantime.');
      await conflict.waitFor();
      expect(await findingsEverywhere(tab, 'cart-conflict')).toEqual([]);
      await page.getByLabel('Last name').fill('Frost');
      // Longer than typing rests before a save: by now one waits for the choice.
      await page.waitForTimeout(1_000);
      await page.getByRole('button', { name: 'Load the newer cart' }).click();
      await conflict.waitFor({ state: 'detached' });
      expect(await note.inputValue()).toBe('Gift');
      expect(await page.getByLabel('Phone').inputValue()).toBe('+4722000000');
      expect(await page.getByLabel('Last name').inputValue()).toBe('');
      await shop.commerce('PATCH', `/carts/${id}`, { first_name: 'Una' });
      await meanwhile(
        () => shop.commerce('PATCH', `/carts/${id}/lines/1`, { qty: 3 }),
        () => page.getByLabel('Quantity of Copper kettle').fill('2'),
      );
      await conflict.waitFor();
      await page.getByRole('button', { name: 'Save what I typed' }).click();
      await expect.poll(() => cartOf(id)).toMatchObject({ note: 'Gift', first_name: 'Una', lines: [{ qty: 2 }] });
      await page.getByLabel('Last name').fill('Gast');
      await expect.poll(() => cartOf(id)).toMatchObject({ last_name: 'Gast' });
      expect(await conflict.count()).toBe(0);
      expect(problems).toEqual([]);
    });

    test('staff take payment by transfer: the goods are set aside, until the money has come or is not awaited any more', async () => {
      const transfer = { name: 'Bank transfer', kind: 'bank_transfer', instructions: 'IBAN DE02 1203 0000\nQuote it' };
      await made('/payment-methods', transfer);
      await made('/payment-methods', { name: 'Counter', kind: 'cash', staff_only: true });
      await made('/payment-methods', { name: 'Large sums', kind: 'other', min_total: 5_000 });
      const shipping = { shipping_address: 'Storgata 1', shipping_city: 'Oslo', shipping_zip: '0150' };
      const lines = [{ product_id: kettle, qty: 1 }];
      const id = await made('/carts', { lines, email: 'guest@example.com', shipping_country: 'NO', ...shipping });
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/carts/${id}`);
      const method = page.getByLabel('Take payment by');
      await method.waitFor();
      expect(await method.locator('option').allTextContents()).toEqual(['Bank transfer', 'Counter']);
      expect(await findingsEverywhere(tab, 'cart-pay-by')).toEqual([]);
      const pay = page.getByRole('button', { name: 'Take payment', exact: true });
      await pay.click();
      await page.getByText('Quote it').waitFor();
      await page.getByText(/^PAY-\d+$/).waitFor();
      await page.getByText('Set aside until', { exact: true }).waitFor();
      expect(await findingsEverywhere(tab, 'cart-paying')).toEqual([]);
      expect(await cartOf(id)).toMatchObject({ status: 'paying', payment: { label: 'Bank transfer' } });

      await page.getByRole('button', { name: 'Cancel the payment' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the payment' }).click();
      await page.getByText('The payment is cancelled.').waitFor();
      await page.getByLabel('Quantity of Copper kettle').fill('2');
      await expect.poll(() => cartOf(id)).toMatchObject({ status: 'open', lines: [{ qty: 2 }] });
      await pay.click();
      await page.getByText('Set aside until', { exact: true }).waitFor();
      await page.goto(`/admin/${shop.company_id}/carts?status=paying`);
      await page.getByRole('link', { name: `#${id}`, exact: true }).click();
      await page.getByRole('button', { name: 'Payment received: place the order' }).click();
      await page.getByRole('heading', { name: /^Order #/ }).waitFor();
      await page.getByText('Everything is paid.').waitFor();
      expect(await cartOf(id)).toMatchObject({ status: 'placed', total: 84 });

      const next = await made('/carts', { lines, email: 'guest@example.com', shipping_country: 'NO', ...shipping });
      await page.goto(`/admin/${shop.company_id}/carts/${next}`);
      await method.selectOption('Counter');
      await page.getByText('The order is placed and counts as paid.').waitFor();
      expect(await page.getByLabel('Amount received').inputValue()).toBe('44.00');
      expect(await findingsEverywhere(tab, 'cart-till')).toEqual([]);
      await page.getByRole('button', { name: 'Take money and place order' }).click();
      await page.getByRole('heading', { name: /^Order #/ }).waitFor();
      await page.getByText('Everything is paid.').waitFor();
      expect(await cartOf(next)).toMatchObject({ status: 'placed', total: 44 });
      await page.clock.setFixedTime(server.clock.now());
      await page.goto(`/admin/${shop.company_id}/home`);
      await page.getByRole('heading', { name: 'From cart to order' }).waitFor();
      const { begun, placed } = (
        await server.rows<{ begun: number; placed: number }>(
          `select count(*) filter (where last_line_id > 0) as begun, count(*) filter (where status = 'placed') as placed from carts`,
        )
      )[0]!;
      const step = (name: string) => page.getByRole('listitem').filter({ hasText: name });
      await step('Carts begun').getByText(String(begun), { exact: true }).waitFor();
      const percent = `${Number(((placed / begun) * 100).toFixed(1))}%`;
      await step('Ordered').getByText(percent).waitFor();
      expect(await findingsEverywhere(tab, 'home-carts')).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('the order of a guest tells where it is from, and its invoice address, in German too', async () => {
      const shipping = { shipping_address: 'Storgata 1', shipping_city: 'Oslo', shipping_zip: '0150' };
      const billing = { company: 'Gast & Co.', address: 'Fjordveien 2', city: 'Bergen', zip: '5003', country: 'NO' };
      const lines = [{ product_id: kettle, qty: 1 }];
      const id = await made('/carts', {
        lines,
        email: 'guest@example.com',
        shipping_country: 'NO',
        ...shipping,
        billing,
      });
      const { status, body } = await shop.commerce('POST', `/carts/${id}/place`);
      expect(status).toBe(200);
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/orders/${body.data.id}`);
      await page.getByText('The buyer was not signed in.').waitFor();
      await page.getByText('Gast & Co.').waitFor();
      await page.getByText('5003 Bergen').waitFor();
      expect(await findingsEverywhere(tab, 'cart-guest-order')).toEqual([]);
      await page.addInitScript("localStorage.setItem('tradeloom-language', 'de')");
      await page.goto(`/admin/${shop.company_id}/carts/${id}`);
      await page.getByRole('heading', { name: `Warenkorb #${id}` }).waitFor();
      await page.getByText('Bestellt', { exact: true }).waitFor();
      await page.getByText('Gast & Co.').waitFor();
      expect(problems).toEqual([]);
    });

    test('staff give the buyer a link to a page where the order is paid', async () => {
      const way = { kind: 'cash_on_delivery', name: 'At the door' };
      const method = await made('/payment-methods', way);
      const lines = [{ product_id: kettle, qty: 1 }];
      const address = {
        shipping_address: 'Storgata 1',
        shipping_zip: '0150',
        shipping_city: 'Oslo',
        shipping_country: 'NO',
      };
      const id = await made('/carts', { lines, email: 'link@example.com', ...address });
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/carts/${id}`);
      await page.getByRole('button', { name: 'Pay link' }).click();
      const dialog = page.getByRole('dialog');
      const url = await dialog.getByLabel('Address of the page').inputValue();
      expect(await findingsEverywhere(tab, 'pay-link')).toEqual([]);
      await dialog.getByRole('button', { name: 'Send by e-mail' }).click();
      await page.getByText('The link will be sent to the buyer.').waitFor();

      await page.goto(url);
      expect(await findingsOfPublic(tab, 'pay-page')).toEqual([]);
      await page.getByLabel('At the door').check();
      await page.getByRole('button', { name: 'Place order and pay' }).click();
      await page.getByText(/Your order number is \d+/).waitFor();
      expect(await findingsOfPublic(tab, 'pay-page-placed')).toEqual([]);
      expect(await cartOf(id)).toMatchObject({ status: 'placed' });
      await shop.commerce('PATCH', `/payment-methods/${method}`, { active: false });
      expect(problems).toEqual([]);
    });

    test('a product that is archived meanwhile is a problem at its line; the cart is listed, and cancelled', async () => {
      const lines = [{ product_id: kettle, qty: 1 }];
      const id = await made('/carts', { lines, email: 'guest@example.com', first_name: 'Una', last_name: 'Gast' });
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const isReady = await streamReady(page);
      await page.goto(`/admin/${shop.company_id}/carts`);
      await page.getByRole('link', { name: 'Being paid' }).click();
      await page.getByText('Nothing found').waitFor();
      await page.getByRole('link', { name: 'Abandoned' }).click();
      await page.waitForURL(/abandoned=true$/);
      await page.getByText('Nothing found').waitFor();
      await page.getByRole('link', { name: 'Open', exact: true }).click();
      await page.getByText('Una Gast').first().waitFor();
      expect(await findingsEverywhere(tab, 'carts')).toEqual([]);
      await page.getByRole('link', { name: `#${id}`, exact: true }).click();
      await page.getByRole('heading', { name: `Cart #${id}` }).waitFor();
      await page.getByLabel('Quantity of Copper kettle').waitFor();
      await isReady();
      await shop.commerce('PATCH', `/products/${kettle}`, { archived: true });
      await fold(server);
      await page.getByText('This product is not sold any more.').waitFor();
      expect(await findingsEverywhere(tab, 'cart-problem')).toEqual([]);
      await page.getByLabel('Street and number').fill('Storgata 1');
      await page.getByLabel('Postal code').fill('0150');
      await page.getByLabel('City').fill('Oslo');
      // The save takes longer than the pause after which typed text is saved by itself.
      await page.route(/\/carts\/\d+$/, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        await route.continue();
      });
      await page.getByRole('button', { name: 'Place order' }).click();
      await page.getByText('The order cannot be placed because of the problems that are marked.').waitFor();
      await page.unroute(/\/carts\/\d+$/);
      expect(await findingsEverywhere(tab, 'cart-refused')).toEqual([]);
      expect(await cartOf(id)).toMatchObject({ status: 'open', shipping_city: 'Oslo' });

      await page.getByRole('button', { name: 'Cancel cart' }).click();
      await written(page, () => page.getByRole('dialog').getByRole('button', { name: 'Cancel cart' }).click());
      await page.getByText('Cancelled', { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Place order' }).count()).toBe(0);
      expect(await cartOf(id)).toMatchObject({ status: 'cancelled' });
      expect(problems).toEqual([]);
    });
  });
}
