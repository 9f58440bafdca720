import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MollieDouble, startMollieDouble } from '../../commerce/payments/testing/mollie/double.ts';
import { startStripeDouble } from '../../commerce/payments/testing/stripe/double.ts';
import { checkInvariants } from '../../invariants.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { createTestClock } from '../test-clock.ts';
import { findingsOfPublic } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of pay links is not tried here\n');
}

const GOOD = '4242 4242 4242 4242';
const POOR = '4000 0000 0000 9995';
const CHALLENGED = '4000 0027 6000 3184';

async function fillCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Expiration date').fill('08 / 40');
  await page.getByLabel('Security code').fill('123');
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
const placed = (page: Page) => page.getByText(/^Thank you\. Your order number is \d+\.$/).waitFor();

for (const path of executable === null ? [] : [executable]) {
  describe('a pay link in Chromium', async () => {
    const clock = createTestClock();
    const stripe = await startStripeDouble({ clock });
    const mollie: MollieDouble = await startMollieDouble({ clock });
    const server = testServer({ clock, config: { paymentUrls: { stripe: stripe.url, mollie: mollie.url } } });
    const browser = testBrowser(path);
    let shop: TestCompany;
    let tea: number;
    let transfer: number;
    let guests = 0;

    const made = async (path: string, body: object = {}) => {
      const response = await shop.commerce('POST', path, body);
      if (response.status > 201) throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`);
      return response.body.data;
    };
    const read = async (path: string) => (await shop.commerce('GET', path)).body.data;
    const address = {
      shipping_address: 'Storgata 1',
      shipping_city: 'Oslo',
      shipping_zip: '0150',
      shipping_country: 'NO',
    };

    /** A cart of 20 dollars, and its pay link. */
    async function cartLink(): Promise<{ id: number; url: string }> {
      const email = `guest${++guests}@example.com`;
      const { id } = await made('/carts', { email, lines: [{ product_id: tea, qty: 2 }], ...address });
      return { id, url: (await made(`/carts/${id}/pay-link`)).url };
    }

    beforeAll(async () => {
      shop = await server.company({ name: 'Fernhill & Co' });
      const caller = {
        companyId: shop.company_id,
        actor: 'test',
        requestId: 'test',
        now: clock.now(),
        idempotency: null,
      };
      const { secretKey, publishableKey, webhookSecrets } = stripe.account();
      const { paymentAccounts } = server.app;
      const common = { mode: 'test', active: true } as const;
      const cards = await paymentAccounts.createAccount(caller, {
        ...common,
        provider: 'stripe',
        name: 'Stripe',
        secret_key: secretKey,
        publishable_key: publishableKey,
        webhook_secret: webhookSecrets[0]!,
      });
      const pages = await paymentAccounts.createAccount(caller, {
        ...common,
        provider: 'mollie',
        name: 'Mollie',
        secret_key: mollie.account().secretKey,
      });
      stripe.registerWebhook(cards.webhook_url);
      const any = { kind: 'any' };
      await made('/payment-methods', { ...any, provider: 'stripe', account_id: cards.id, name: 'Card', position: 1 });
      await made('/payment-methods', {
        ...any,
        provider: 'stripe',
        account_id: cards.id,
        name: 'Card on delivery',
        capture: 'by_hand',
        position: 2,
      });
      await made('/payment-methods', { ...any, provider: 'mollie', account_id: pages.id, name: 'iDEAL', position: 3 });
      transfer = (await made('/payment-methods', { kind: 'bank_transfer', name: 'Transfer', position: 4 })).id;
      tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 1_000 })).id;
    });
    // A network begins 10 payments an hour.
    beforeEach(() => clock.advance(3_600_000));
    afterEach(async () => {
      await Promise.all([stripe.webhooks.idle(), mollie.webhooks.idle()]);
      expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
    });
    afterAll(() => Promise.all([stripe.close(), mollie.close()]));

    test('a card is declined, then another one pays, in a page that is fit for all', async () => {
      const tab = await openTab(browser, server);
      const { page, problems } = tab;
      const { id, url } = await cartLink();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const policy = (await page.goto(url))!.headers()['content-security-policy']!;
      expect(policy.split('; ').sort()).toEqual([
        "base-uri 'none'",
        `connect-src 'self' ${stripe.url}`,
        "default-src 'none'",
        `form-action 'self' ${new URL(mollie.url).origin}`,
        "frame-ancestors 'none'",
        `frame-src ${stripe.url}`,
        `script-src 'self' ${stripe.url}`,
        "style-src 'unsafe-inline'",
      ]);
      await page.getByRole('radio', { name: 'Card', exact: true }).check();
      await page.getByLabel('Card number').waitFor();
      expect(await findingsOfPublic(tab, 'pay-card')).toEqual([]);
      await press(page, 'Place order and pay');
      await page.getByRole('alert').filter({ hasText: 'Your card number is incomplete.' }).waitFor();
      expect((await read(`/carts/${id}`)).status).toBe('open');
      await fillCard(page, POOR);
      await press(page, 'Place order and pay');
      await page.getByRole('alert').filter({ hasText: 'Your card has insufficient funds.' }).waitFor();
      expect((await read(`/carts/${id}`)).status).toBe('paying');
      expect(await findingsOfPublic(tab, 'pay-declined')).toEqual([]);
      await fillCard(page, GOOD);
      await press(page, 'Place order and pay');
      await placed(page);
      expect(page.url()).toBe(url);
      expect(await findingsOfPublic(tab, 'pay-placed')).toEqual([]);
      const { order_id } = await read(`/carts/${id}`);
      expect(await read(`/orders/${order_id}`)).toMatchObject({ payment_status: 'paid', paid: 20, balance: 0 });
      // One payment, and the numbers went to nobody but Stripe.
      expect(
        stripe.calls.filter(({ path, method }) => method === 'POST' && path === '/v1/payment_intents'),
      ).toHaveLength(1);
      expect(new Set(asked.map((one) => new URL(one).origin))).toEqual(new Set([server.origin, stripe.url]));
      expect(problems).toEqual([]);
    });

    test('3-D Secure is failed, left and passed in German, for a payment that is captured later', async () => {
      const context = await (await browser.process()).newContext({ locale: 'de-DE' });
      const page = await context.newPage();
      const { id, url } = await cartLink();
      const challenge = page.getByRole('dialog', { name: '3-D Secure' });
      await page.goto(url);
      await page.getByRole('radio', { name: 'Card on delivery' }).check();
      await fillCard(page, CHALLENGED);
      await press(page, 'Zahlungspflichtig bestellen');
      await challenge.getByRole('button', { name: 'Fail' }).click();
      await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
      await press(page, 'Zahlungspflichtig bestellen');
      await challenge.waitFor();
      // The buyer leaves, and comes back by the link.
      await page.goto(url);
      await page.getByText('Ihre Zahlung ist noch nicht abgeschlossen. Zahlungsart: Card on delivery.').waitFor();
      expect((await read(`/carts/${id}`)).status).toBe('paying');
      await fillCard(page, CHALLENGED);
      await press(page, 'Zahlungspflichtig bestellen');
      await challenge.getByRole('button', { name: 'Pass' }).click();
      await page.getByText(/^Vielen Dank\. Ihre Bestellnummer ist \d+\.$/).waitFor();
      const { order_id } = await read(`/carts/${id}`);
      expect(await read(`/orders/${order_id}`)).toMatchObject({ payment_status: 'authorized', paid: 0, balance: 20 });
      await context.close();
    });

    test('a hosted page is left, fails and pays, and a card that has begun is replaced', async () => {
      const tab = await openTab(browser, server);
      const { page, problems } = tab;
      const { id, url } = await cartLink();
      await page.goto(url);
      await page.getByRole('radio', { name: 'Card', exact: true }).check();
      await fillCard(page, POOR);
      await press(page, 'Place order and pay');
      await page.getByRole('alert').filter({ hasText: 'insufficient funds' }).waitFor();
      await page.getByRole('radio', { name: 'iDEAL' }).check();
      await page.getByLabel('Card number').waitFor({ state: 'hidden' });
      await press(page, 'Place order and pay');
      await press(page, 'Leave');
      await page.getByText('Your payment is not complete yet. Payment method: iDEAL.').waitFor();
      expect(await findingsOfPublic(tab, 'pay-under-way')).toEqual([]);
      await press(page, 'Place order and pay');
      await press(page, 'Fail');
      await page.getByRole('alert').filter({ hasText: 'Your payment was declined.' }).waitFor();
      expect((await read(`/carts/${id}`)).status).toBe('open');
      await page.getByRole('radio', { name: 'iDEAL' }).check();
      await press(page, 'Place order and pay');
      await press(page, 'Pay');
      await placed(page);
      const { order_id } = await read(`/carts/${id}`);
      expect(await read(`/orders/${order_id}`)).toMatchObject({ payment_status: 'paid', paid: 20, balance: 0 });
      expect([...stripe.books().values()].at(-1)).toMatchObject({ captured: 0, status: 'canceled' });
      expect(problems).toEqual([]);
    });

    test('what is owed for an order is paid by card, after another method was chosen', async () => {
      const tab = await openTab(browser, server);
      const { page, problems } = tab;
      const customer = await made('/customers', { email: 'ingrid@example.com' });
      const order = await made('/orders', {
        customer_id: customer.id,
        items: [{ product_id: tea, qty: 3 }],
        ...address,
      });
      const { url } = await made(`/orders/${order.id}/pay-link`);
      await page.goto(url);
      await made(`/orders/${order.id}/payments`, { method_id: transfer, amount: 10 });
      await page.getByRole('radio', { name: 'Card', exact: true }).check();
      await fillCard(page, GOOD);
      await press(page, 'Pay now');
      await page.getByRole('alert').filter({ hasText: 'The total has changed to $20.00.' }).waitFor();
      await page.getByRole('radio', { name: 'iDEAL' }).check();
      await press(page, 'Pay now');
      await press(page, 'Leave');
      await press(page, 'Choose another payment method');
      await page.getByRole('radio', { name: 'Card on delivery' }).check();
      await fillCard(page, GOOD);
      await press(page, 'Pay now');
      await placed(page);
      expect(await read(`/orders/${order.id}`)).toMatchObject({ payment_status: 'paid', paid: 30, balance: 0 });
      expect(problems).toEqual([]);
    });

    test('without scripts a hosted page pays, and cards are not offered in vain', async () => {
      const context = await (await browser.process()).newContext({ javaScriptEnabled: false, baseURL: server.origin });
      const page = await context.newPage();
      const { url } = await cartLink();
      await page.goto(url);
      await page.getByText('To pay by card, allow JavaScript and scripts of Stripe on this page.').waitFor();
      expect(await page.getByRole('radio', { name: 'Card', exact: true }).isDisabled()).toBe(true);
      await page.getByRole('radio', { name: 'iDEAL' }).check();
      await press(page, 'Place order and pay');
      await press(page, 'Pay');
      await placed(page);
      await context.close();
    });
  });
}
