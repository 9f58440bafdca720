import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fold } from '../../admin/live/testing.ts';
import { startStripeDouble } from '../../commerce/payments/testing/stripe/double.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { createTestClock } from '../test-clock.ts';
import { findingsEverywhere, operatorCookie, written } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const DAY_MS = 86_400_000;

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of payments by services is not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', async () => {
    const clock = createTestClock();
    const stripe = await startStripeDouble({ clock });
    const server = testServer({ clock, config: { paymentUrls: { stripe: stripe.url, mollie: null } } });
    const browser = testBrowser(path);
    let shop: TestCompany;
    let card: number;
    let later: number;
    let kettle: number;
    let guests = 0;

    const made = async (resource: string, body: object = {}) => {
      const response = await shop.commerce('POST', resource, body);
      expect([resource, response.status], JSON.stringify(response.body)).toEqual([
        resource,
        expect.toBeOneOf([200, 201]),
      ]);
      return response.body.data;
    };
    const moneyOf = async (id: number) => {
      const { payment_status, paid, refunded, balance } = (await shop.commerce('GET', `/orders/${id}`)).body.data;
      return [payment_status, paid, refunded, balance];
    };
    const worker = async () => {
      await stripe.webhooks.idle();
      const payments = server.app.workers.find(({ name }) => name === 'payments')!;
      while ((await payments.runOnce()) > 0);
    };
    /** The workers do what is due, and open pages are told. */
    const settled = async () => {
      await worker();
      await fold(server);
    };

    /** An order that a guest has paid or authorized by a card. */
    async function order(method: number): Promise<{ id: number; ref: string }> {
      const cart = await made('/carts', {
        email: `guest${++guests}@example.com`,
        lines: [{ product_id: kettle, qty: 3 }],
        shipping_address: 'Storgata 1',
        shipping_city: 'Oslo',
        shipping_zip: '0150',
        shipping_country: 'NO',
      });
      const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: method });
      await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
      const { order: placed } = await made(`/carts/${cart.id}/confirm`);
      return { id: placed.id, ref: payment.provider_ref };
    }

    async function openAdmin(page: string) {
      const tab = await openTab(browser, server, { cookie: await operatorCookie(server) });
      await tab.page.clock.setFixedTime(clock.now());
      await tab.page.goto(`/admin/${shop.company_id}/${page}`);
      return { tab, page: tab.page, dialog: tab.page.getByRole('dialog') };
    }

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      const { secretKey, publishableKey, webhookSecrets } = stripe.account();
      const caller = {
        companyId: shop.company_id,
        actor: 'test',
        requestId: 'test',
        now: clock.now(),
        idempotency: null,
      };
      const account = await server.app.paymentAccounts.createAccount(caller, {
        provider: 'stripe',
        mode: 'test',
        name: 'Stripe',
        secret_key: secretKey,
        publishable_key: publishableKey,
        webhook_secret: webhookSecrets[0]!,
        active: true,
      });
      stripe.registerWebhook(account.webhook_url);
      const fields = { provider: 'stripe', kind: 'any', account_id: account.id };
      card = (await made('/payment-methods', { ...fields, name: 'Card' })).id;
      later = (await made('/payment-methods', { ...fields, name: 'Card on delivery', capture: 'by_hand' })).id;
      kettle = (await made('/products', { name: 'Copper kettle', price: 10, stock_qty: 50 })).id;
    });
    afterAll(() => stripe.close());

    test('staff capture a part of a payment, cancel another, and see what Stripe was asked for', async () => {
      const [{ id, ref }, other] = [await order(later), await order(later)];
      const { tab, page, dialog } = await openAdmin(`orders/${id}`);
      await page.getByText('$30.00 authorized').waitFor();
      await page.getByText('Test', { exact: true }).waitFor();
      expect(await page.getByRole('link', { name: ref }).getAttribute('href')).toBe(
        `https://dashboard.stripe.com/test/payments/${ref}`,
      );
      expect(await findingsEverywhere(tab, 'service-authorized')).toEqual([]);
      await page.getByRole('button', { name: 'Capture' }).click();
      expect(await dialog.getByLabel('Amount').inputValue()).toBe('30.00');
      await dialog.getByLabel('Amount').fill('31');
      await dialog.getByRole('button', { name: 'Capture' }).click();
      await dialog.getByText('At most 30 can be captured').waitFor();
      await dialog.getByLabel('Amount').fill('20');
      expect(await findingsEverywhere(tab, 'service-capture')).toEqual([]);
      await written(page, () => dialog.getByRole('button', { name: 'Capture' }).click());
      await page.getByText('The money is captured.').waitFor();
      await page.getByText('The buyer owes $10.00.').waitFor();
      expect(await moneyOf(id)).toEqual(['partially_paid', 20, 0, 10]);
      await page.getByText('Calls to the service').click();
      await page.getByRole('listitem').filter({ hasText: 'Capture' }).filter({ hasText: 'Done' }).first().waitFor();
      expect(await findingsEverywhere(tab, 'service-operations')).toEqual([]);

      await page.goto(`/admin/${shop.company_id}/orders/${other.id}`);
      await page.getByRole('button', { name: 'Cancel payment' }).click();
      await dialog.getByText('The service takes no money for it.').waitFor();
      await written(page, () => dialog.getByRole('button', { name: 'Cancel payment' }).click());
      await page.getByText('The payment is cancelled.').waitFor();
      await page.getByRole('button', { name: 'Capture' }).waitFor({ state: 'detached' });
      expect(await moneyOf(other.id)).toEqual(['failed', 0, 0, 30]);
      expect(tab.problems).toEqual([]);
    });

    test('Stripe sends a refund of one line; cancelling the order sends the rest', async () => {
      const { id } = await order(card);
      const { tab, page, dialog } = await openAdmin(`orders/${id}`);
      await page.getByText('Everything is paid.').waitFor();
      await page.getByRole('button', { name: 'Refund' }).click();
      const how = dialog.getByLabel('How it is paid back');
      await how.selectOption('Paid back by hand, and recorded here');
      await dialog.getByText('Pay the money back yourself').waitFor();
      await how.selectOption('Sent by Stripe');
      await dialog.getByLabel('Units of Copper kettle').fill('1');
      expect(await dialog.getByLabel('Amount').inputValue()).toBe('10.00');
      expect(await findingsEverywhere(tab, 'service-refund')).toEqual([]);
      await written(page, () => dialog.getByRole('button', { name: 'Refund', exact: true }).click());
      await page.getByText('Stripe was asked to send the money.').waitFor();
      await page.getByText('$10.00 are being sent back.').waitFor();
      await page.getByText('Being sent', { exact: true }).waitFor();
      expect(await findingsEverywhere(tab, 'service-refund-pending')).toEqual([]);
      // The open page is told.
      await settled();
      await page.getByText('Being sent', { exact: true }).waitFor({ state: 'detached' });
      expect(await moneyOf(id)).toEqual(['partially_refunded', 30, 10, 0]);

      await page.getByRole('button', { name: 'More', exact: true }).first().click();
      await page.getByRole('menuitem', { name: 'Cancel order' }).click();
      await written(page, () => dialog.getByRole('button', { name: 'Cancel order' }).click());
      await page.getByText('$20.00 are being sent back.').waitFor();
      await settled();
      await page.getByText('Nothing is owed.').waitFor();
      expect(await moneyOf(id)).toEqual(['refunded', 30, 30, 0]);
      expect(await findingsEverywhere(tab, 'service-refunded')).toEqual([]);
      expect(tab.problems).toEqual([]);
    });

    test('disputes and authorizations that end are money to look at', async () => {
      const [disputed, ending] = [await order(card), await order(later)];
      const dispute = stripe.dashboard.openDispute(disputed.ref);
      await settled();
      clock.advance(5 * DAY_MS);
      const { tab, page } = await openAdmin('home');
      await page.getByRole('link', { name: 'Payments to look at' }).click();
      await page.getByRole('heading', { level: 1, name: 'Money to look at' }).waitFor();
      await page.getByText('The buyer disputes the payment').waitFor();
      await page.getByText('$30.00 charged back').waitFor();
      expect(await findingsEverywhere(tab, 'service-money')).toEqual([]);
      await page.getByRole('link', { name: `Order #${disputed.id}` }).click();
      await page.getByText('Chargeback', { exact: false }).first().waitFor();
      expect(await moneyOf(disputed.id)).toEqual(['refunded', 30, 30, 30]);
      expect(await findingsEverywhere(tab, 'service-disputed')).toEqual([]);
      stripe.dashboard.closeDispute(dispute.id, 'won');
      await settled();
      await page.getByText('Chargeback reversed').waitFor();

      await page.addInitScript("localStorage.setItem('tradeloom-language', 'de')");
      await page.goto(`/admin/${shop.company_id}/payments`);
      await page.getByText('Keine Zahlung ist zu klären.').waitFor();
      await page.getByRole('link', { name: `Bestellung #${ending.id}` }).waitFor();
      expect(await findingsEverywhere(tab, 'service-money-de')).toEqual([]);
      await page.getByRole('button', { name: 'Einziehen' }).click();
      await written(page, () => page.getByRole('dialog').getByRole('button', { name: 'Einziehen' }).click());
      await page.getByText('Keine Autorisierung endet bald.').waitFor();
      expect(await moneyOf(ending.id)).toEqual(['paid', 30, 0, 0]);
      await page.goto(`/admin/${shop.company_id}/orders/${disputed.id}`);
      await page.getByText('Rückbuchung aufgehoben').waitFor();
      expect(await findingsEverywhere(tab, 'service-disputed-de')).toEqual([]);
      expect(tab.problems).toEqual([]);
    });
  });
}
