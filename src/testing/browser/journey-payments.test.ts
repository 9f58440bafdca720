import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findingsEverywhere, operatorCookie, written } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const DAY_MS = 86_400_000;

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of payments is not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;
    let kettle: number;
    let whisk: number;
    let transfer: number;
    let customer: number;

    const made = async (path: string, body: object): Promise<number> => {
      const response = await shop.commerce('POST', path, body);
      expect(response.status).toBe(201);
      return response.body.data.id;
    };
    const read = async (path: string) => (await shop.commerce('GET', path)).body.data;
    const address = {
      shipping_address: 'Storgata 1',
      shipping_city: 'Oslo',
      shipping_zip: '0150',
      shipping_country: 'NO',
    };
    const order = () =>
      made('/orders', {
        customer_id: customer,
        items: [
          { product_id: kettle, qty: 3 },
          { product_id: whisk, qty: 1 },
        ],
        ...address,
      });
    const moneyOf = async (id: number) => {
      const { payment_status, paid, refunded, balance } = await read(`/orders/${id}`);
      return [payment_status, paid, refunded, balance];
    };

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      cookie = await operatorCookie(server);
      kettle = await made('/products', { name: 'Copper kettle', price: 40, stock_qty: 50 });
      whisk = await made('/products', { name: 'Whisk', price: 5.5, stock_qty: 50 });
      customer = await made('/customers', { email: 'ingrid@example.com', first_name: 'Ingrid', last_name: 'Dahl' });
      const zone = await made('/shipping-zones', { name: 'Nordics', countries: ['NO'] });
      await made('/shipping-methods', { zone_id: zone, name: 'Post', type: 'flat', cost: 4 });
      transfer = await made('/payment-methods', { name: 'Bank transfer', kind: 'bank_transfer' });
      await made('/payment-methods', { name: 'Counter', kind: 'cash', staff_only: true });
    });

    test('an owner records a transfer in parts, refunds a line, cancels the order and pays the rest back', async () => {
      const id = await order();
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.clock.setFixedTime(server.clock.now());
      const dialog = page.getByRole('dialog');
      await page.goto(`/admin/${shop.company_id}/orders/${id}`);
      await page.getByText('No payment has been recorded.').waitFor();
      expect(await findingsEverywhere(tab, 'payment-none')).toEqual([]);

      await page.getByRole('button', { name: 'Record money' }).click();
      expect(await dialog.getByLabel('Amount').inputValue()).toBe('129.50');
      expect(await findingsEverywhere(tab, 'payment-record')).toEqual([]);
      await dialog.getByLabel('Amount').fill('100');
      await dialog.getByLabel('Reference').fill('Statement 7');
      await written(page, () => dialog.getByRole('button', { name: 'Record money' }).click());
      await page.getByText('The buyer owes $29.50.').waitFor();
      await page.getByText('Partly paid').waitFor();
      await page.getByRole('button', { name: 'Refund' }).waitFor();
      await page.getByRole('button', { name: 'Pay link' }).click();
      expect(await dialog.getByLabel('Address of the page').inputValue()).toContain('/pay/');
      expect(await findingsEverywhere(tab, 'payment-link')).toEqual([]);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Record money' }).click();
      await dialog.getByLabel('Payment method').selectOption('Counter');
      expect(await dialog.getByLabel('Amount').inputValue()).toBe('29.50');
      await written(page, () => dialog.getByRole('button', { name: 'Record money' }).click());
      await page.getByText('Everything is paid.').waitFor();
      expect(await moneyOf(id)).toEqual(['paid', 129.5, 0, 0]);

      const before = (await read(`/products/${kettle}`)).stock_qty;
      await page.getByRole('button', { name: 'Refund' }).click();
      await dialog.getByText('Up to $129.50 can be given back.').waitFor();
      await dialog.getByLabel('Units of Copper kettle').fill('4');
      await dialog.getByText('At most 3').waitFor();
      await dialog.getByLabel('Units of Copper kettle').fill('1');
      await dialog.getByRole('textbox', { name: 'Shipping' }).fill('4');
      expect(await dialog.getByLabel('Amount').inputValue()).toBe('44.00');
      expect(await dialog.getByLabel('Put Copper kettle back into stock').isChecked()).toBe(true);
      await dialog.getByLabel('Reason').fill('Dented');
      expect(await findingsEverywhere(tab, 'payment-refund')).toEqual([]);
      await written(page, () => dialog.getByRole('button', { name: 'Record refund' }).click());
      await page.getByText('1 × Copper kettle (1 back in stock)').waitFor();
      expect(await moneyOf(id)).toEqual(['partially_refunded', 129.5, 44, 0]);
      expect((await read(`/products/${kettle}`)).stock_qty).toBe(before + 1);
      expect(await findingsEverywhere(tab, 'payment-ledger')).toEqual([]);

      await page.getByRole('button', { name: 'More', exact: true }).first().click();
      await page.getByRole('menuitem', { name: 'Cancel order' }).click();
      await written(page, () => dialog.getByRole('button', { name: 'Cancel order' }).click());
      await page.getByText('$85.50 are to be paid back.').waitFor();
      await page.goto(`/admin/${shop.company_id}/home`);
      await page.getByRole('link', { name: 'Order with money to pay back' }).click();
      await page.getByRole('heading', { level: 1, name: 'Money to look at' }).waitFor();
      await page.getByText('$85.50').waitFor();
      expect(await findingsEverywhere(tab, 'money')).toEqual([]);
      await page.getByRole('button', { name: `Pay back money of order #${id}` }).click();
      await dialog.getByText('Up to $85.50 can be given back.').waitFor();
      expect(await dialog.getByLabel('Amount').inputValue()).toBe('85.50');
      await dialog.getByLabel('Units of Whisk').fill('1');
      await dialog.getByText('The stock of a cancelled order has been returned already.').waitFor();
      expect(await findingsEverywhere(tab, 'money-pay-back')).toEqual([]);
      await written(page, () => dialog.getByRole('button', { name: 'Record refund' }).click());
      await page.getByText('There is nothing to pay back.').waitFor();
      expect(await moneyOf(id)).toEqual(['refunded', 129.5, 129.5, 0]);
      expect(await findingsEverywhere(tab, 'money-empty')).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('a payment that has not come in time is found, and no longer awaited after a question; viewers only read', async () => {
      const lines = [{ product_id: kettle, qty: 1 }];
      const cart = await made('/carts', { lines, customer_id: customer, ...address });
      await shop.commerce('POST', `/carts/${cart}/pay`, { method_id: transfer });
      const placed = await shop.commerce('POST', `/carts/${cart}/place`);
      const id: number = placed.body.data.id;
      server.clock.advance(8 * DAY_MS);
      const viewer = await testPerson(server, { [shop.company_id]: 'viewer' });
      const reading = await openTab(browser, server, { cookie: viewer.cookie.split('=')[1]! });
      await reading.page.clock.setFixedTime(server.clock.now());
      await reading.page.goto(`/admin/${shop.company_id}/payments`);
      await reading.page.getByRole('link', { name: `Order #${id}` }).click();
      await reading.page.getByText('The buyer owes $44.00.').waitFor();
      expect(
        await reading.page.getByRole('button', { name: /Record money|Refund|Pay link|Stop awaiting/ }).count(),
      ).toBe(0);

      // The session from before has ended meanwhile.
      const tab = await openTab(browser, server, { cookie: await operatorCookie(server) });
      const { page, problems } = tab;
      const dialog = page.getByRole('dialog');
      await page.clock.setFixedTime(server.clock.now());
      await page.goto(`/admin/${shop.company_id}/orders`);
      await page.getByLabel('Balance').selectOption('due');
      await page.waitForURL(/balance=due/);
      await page.getByRole('cell', { name: 'Awaited' }).waitFor();
      expect(await findingsEverywhere(tab, 'orders-payment')).toEqual([]);
      await page.goto(`/admin/${shop.company_id}/orders/${id}`);
      await page.getByRole('button', { name: 'Record money' }).click();
      expect(await dialog.getByLabel('Payment method').inputValue()).toBe(String(transfer));
      await page.keyboard.press('Escape');
      await page
        .getByText(/PAY-\d+/)
        .first()
        .waitFor();
      expect(await findingsEverywhere(tab, 'payment-awaited')).toEqual([]);
      await page.addInitScript("localStorage.setItem('tradeloom-language', 'de')");
      await page.goto(`/admin/${shop.company_id}/payments`);
      await page.getByRole('heading', { level: 1, name: 'Geld zu klären' }).waitFor();
      await page.getByText(/PAY-\d+/).waitFor();
      expect(await findingsEverywhere(tab, 'money-overdue-de')).toEqual([]);
      await page.getByRole('button', { name: 'Nicht mehr erwarten' }).click();
      await dialog.getByText('kommt das Geld doch noch, lässt es sich erfassen').waitFor();
      await written(page, () => dialog.getByRole('button', { name: 'Nicht mehr erwarten' }).click());
      await page.getByText('Keine Zahlung ist überfällig.').waitFor();
      expect(await moneyOf(id)).toEqual(['failed', 0, 0, 44]);
      await page.goto(`/admin/${shop.company_id}/orders/${id}`);
      await page.getByText('Der Käufer schuldet noch').waitFor();
      expect(await findingsEverywhere(tab, 'payment-de')).toEqual([]);
      expect(problems).toEqual([]);
    });
  });
}
