import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { releaseOverdueCarts } from '../../commerce/carts/release.ts';
import { startMollieDouble } from '../../commerce/payments/testing/mollie/double.ts';
import { startStripeDouble } from '../../commerce/payments/testing/stripe/double.ts';
import { firstStart } from '../../demo/service.ts';
import { checkInvariants } from '../../invariants.ts';
import { testServer } from '../harness.ts';
import { createTestClock } from '../test-clock.ts';
import { findChromium, openTab, type Tab, testBrowser } from './chromium.ts';
import { fillAddress, findingsOn, heading, press } from './storefront.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the storefront is not paid by card here\n');
}

const MINUTE = 60_000;
const VISA = '4242 4242 4242 4242';
const ASKS = '4000 0027 6000 3184';

for (const path of executable === null ? [] : [executable]) {
  describe('the storefront, paid by services', async () => {
    const clock = createTestClock();
    const [stripe, mollie] = await Promise.all([startStripeDouble({ clock }), startMollieDouble({ clock })]);
    const server = testServer({ clock, config: { paymentUrls: { stripe: stripe.url, mollie: mollie.url } } });
    const browser = testBrowser(path);
    let tab: Tab;
    let page: Page;
    let buyers = 0;

    beforeAll(async () => {
      const demo = await firstStart(server.app, { empty: false, origin: server.origin });
      const companyId = demo!.ids.company_id;
      const caller = { companyId, actor: 'test', requestId: 'test', now: clock.now(), idempotency: null };
      const { secretKey, publishableKey, webhookSecrets } = stripe.account();
      const account = { mode: 'test', active: true } as const;
      const cards = await server.app.paymentAccounts.createAccount(caller, {
        ...account,
        provider: 'stripe',
        name: 'Stripe',
        secret_key: secretKey,
        publishable_key: publishableKey,
        webhook_secret: webhookSecrets[0]!,
      });
      const pages = await server.app.paymentAccounts.createAccount(caller, {
        ...account,
        provider: 'mollie',
        name: 'Mollie',
        secret_key: mollie.account().secretKey,
      });
      const methods = [
        { provider: 'stripe', kind: 'any', name: 'Card', account_id: cards.id },
        { provider: 'mollie', kind: 'any', name: 'iDEAL', account_id: pages.id },
      ];
      const headers = { 'x-api-key': demo!.key, 'x-company-id': String(companyId) };
      for (const body of methods) {
        expect((await server.request('POST', '/commerce/v1/payment-methods', { body, headers })).status).toBe(201);
      }
    });
    afterAll(() => Promise.all([stripe.close(), mollie.close()]));

    beforeEach(async () => {
      // A network pays ten times an hour.
      clock.advance(61 * MINUTE);
      stripe.faults.stop();
      tab = await openTab(browser, server);
      ({ page } = tab);
      await page.goto('/shop/#/product/morning-ridge-espresso');
      await press(page, 'Add to cart');
      await page.getByRole('link', { name: 'Cart (1)' }).waitFor();
      await page.goto('/shop/#/checkout');
      await fillAddress(page, emailOf(++buyers));
    });

    /** The buyer has one order, which is paid; they were charged once, and the services' books are ours. */
    afterEach(async () => {
      await worker();
      const bought = await server.rows(
        `select b.payment_status, (select count(*)::int from payments p where p.company_id = o.company_id
           and p.order_id = o.id and p.captured = o.total) as charges
         from customers c join orders o on o.company_id = c.company_id and o.customer_id = c.id
         join order_balances b on b.company_id = o.company_id and b.order_id = o.id where c.email = $1`,
        [emailOf(buyers)],
      );
      expect(bought).toEqual([{ payment_status: 'paid', charges: 1 }]);
      const ours = await server.rows<{ ref: string; captured: string }>(
        'select provider_ref as ref, captured from payments where provider_ref is not null order by provider_ref',
      );
      const theirs = [...stripe.books(), ...mollie.books()].map(([ref, { captured }]) => [ref, captured]);
      expect(ours.map(({ ref, captured }) => [ref, Number(captured)])).toEqual(theirs.sort());
      expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
      expect(tab.problems).toEqual([]);
    });

    const emailOf = (buyer: number) => `buyer${buyer}@example.com`;
    const worker = async () => {
      const payments = server.app.workers.find(({ name }) => name === 'payments')!;
      while ((await payments.runOnce()) > 0);
    };
    /** Moves the clock, ends reservations that are overdue, and has the worker do what is due. */
    const later = async (ms: number) => {
      clock.advance(ms);
      const { db, log } = server.app;
      const end = releaseOverdueCarts({ db, clock, log });
      while ((await end(null)).done > 0);
      await worker();
    };
    const orderBy = async (method: string): Promise<void> => {
      await page.getByRole('radio', { name: method, exact: true }).check();
      await press(page, /^Order for/);
    };
    const fillCard = async (number: string): Promise<void> => {
      await page.getByLabel('Card number').fill(number);
      await page.getByLabel('Expiration date').fill('08 / 40');
      await page.getByLabel('Security code').fill('123');
      await press(page, 'Pay');
    };
    const bank = () => page.getByRole('dialog', { name: '3-D Secure' });
    const bought = async (): Promise<void> => {
      await heading(page, /^Order \d+$/);
      await page.getByRole('link', { name: 'Cart (0)' }).waitFor();
    };
    /** The shop hears nothing of the payment until its reservation has ended. */
    const giveUp = async (): Promise<void> => {
      stripe.failNext('time_out_before', 500);
      await later(31 * MINUTE);
      for (let turn = 0; turn < 8; turn++) await later(20 * MINUTE);
    };
    const newestIntent = () => [...stripe.books().keys()].at(-1)!;

    test('a card that is declined, and one whose 3-D Secure is passed', async () => {
      await orderBy('Card');
      await heading(page, 'Please pay');
      await fillCard('4000 0000 0000 9995');
      await page.getByText('Your card has insufficient funds.').waitFor();
      expect(await findingsOn(tab, 'card')).toEqual([]);
      await fillCard(ASKS);
      await bank().getByRole('button', { name: 'Pass' }).click();
      await bought();
    });

    test('3-D Secure is failed: the buyer is told, also when the page is loaded again, and pays the same order', async () => {
      await orderBy('Card');
      await fillCard(ASKS);
      await bank().getByRole('button', { name: 'Fail' }).click();
      await page.getByText('We are unable to authenticate your payment method.').waitFor();
      expect(await findingsOn(tab, 'card-failed')).toEqual([]);
      await page.reload();
      await heading(page, 'Please pay');
      await page.getByText('Your payment was declined. Please try again, or pay in another way.').waitFor();
      expect(await findingsOn(tab, 'card-failed-again')).toEqual([]);
      await fillCard(VISA);
      await bought();
    });

    test('3-D Secure is left by loading the page again, by going back, and by another way to pay', async () => {
      await orderBy('Card');
      await fillCard(ASKS);
      await bank().waitFor();
      await page.reload();
      await heading(page, 'Please pay');
      await fillCard(ASKS);
      await bank().waitFor();
      await page.goBack();
      await bank().waitFor({ state: 'detached' });
      await heading(page, 'Please pay');
      expect(await findingsOn(tab, 'card-left')).toEqual([]);
      await press(page, 'Change the order instead');
      await heading(page, 'Checkout');
      await orderBy('Card');
      await fillCard(VISA);
      await bought();
    });

    test('3-D Secure is left open until the reservation has ended: nothing is charged, and the buyer pays anew', async () => {
      await orderBy('Card');
      await fillCard(ASKS);
      await bank().waitFor();
      const left = newestIntent();
      await later(31 * MINUTE);
      await later(5_000);
      await bank().getByRole('button', { name: 'Pass' }).click();
      await heading(page, 'Your cart');
      await page.getByText('Your payment is not complete.').waitFor();
      expect(await findingsOn(tab, 'card-too-late')).toEqual([]);
      expect(stripe.books().get(left)).toMatchObject({ status: 'canceled', captured: 0 });
      await page.getByRole('link', { name: 'Go to the checkout' }).click();
      await orderBy('Card');
      await fillCard(VISA);
      await bought();
    });

    test('money that arrives after the shop has given up becomes the order, which the buyer finds', async () => {
      await orderBy('Card');
      await fillCard(ASKS);
      await bank().waitFor();
      await giveUp();
      const second = await tab.context.newPage();
      await second.goto('/shop/#/cart');
      await heading(second, 'Your cart has ended');
      expect(await findingsOn({ ...tab, page: second }, 'card-expired')).toEqual([]);
      stripe.faults.stop();
      await bank().getByRole('button', { name: 'Pass' }).click();
      await bought();
      await heading(second, 'Your cart is empty');
    });

    test('a payment that was never heard of is cancelled, and the buyer starts again with the same products', async () => {
      await orderBy('Card');
      await fillCard(ASKS);
      await bank().waitFor();
      const left = newestIntent();
      await giveUp();
      stripe.faults.stop();
      for (let turn = 0; turn < 2; turn++) await later(120 * MINUTE);
      expect(stripe.books().get(left)).toMatchObject({ status: 'canceled', captured: 0 });
      await page.reload();
      await heading(page, 'Your cart has ended');
      await press(page, 'Start again');
      await heading(page, 'Your cart');
      await page.getByRole('link', { name: 'Go to the checkout' }).click();
      await fillAddress(page, emailOf(buyers));
      await orderBy('Card');
      await fillCard(VISA);
      await bought();
    });

    test('the page of Mollie is left, fails, is cancelled and then pays', async () => {
      await orderBy('iDEAL');
      await page.getByRole('button', { name: 'Pay', exact: true }).waitFor();
      await page.goBack();
      await heading(page, 'Please pay');
      expect(await findingsOn(tab, 'page-left')).toEqual([]);
      await page.getByRole('link', { name: 'Go on to pay' }).click();
      await press(page, 'Leave');
      await heading(page, 'Please pay');
      await page.getByText('Your payment is not complete.').waitFor();
      expect(page.url()).toBe(`${server.origin}/shop/#/cart`);
      await page.getByRole('link', { name: 'Go on to pay' }).click();
      await press(page, 'Fail');
      await page.getByText('Your payment was declined.').waitFor();
      expect(await findingsOn(tab, 'page-failed')).toEqual([]);
      await page.getByRole('link', { name: 'Go to the checkout' }).click();
      await orderBy('iDEAL');
      await press(page, 'Cancel');
      await heading(page, 'Your cart');
      await page.getByText('Your payment is not complete.').waitFor();
      expect(await findingsOn(tab, 'page-cancelled')).toEqual([]);
      await page.getByRole('link', { name: 'Go to the checkout' }).click();
      await orderBy('iDEAL');
      await press(page, 'Pay');
      await bought();
    });
  });
}
