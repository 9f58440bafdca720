import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PaymentProvider, StartCall } from '../../commerce/payments/providers/provider.ts';
import { createStripe } from '../../commerce/payments/providers/stripe/provider.ts';
import { type StripeDouble, startStripeDouble } from '../../commerce/payments/testing/stripe/double.ts';
import { createTestClock } from '../test-clock.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the stand-in for Stripe.js is not tried here\n');
}

/** A page of a shop, with a policy under which only scripts of its own and of Stripe run. */
function shopPage(stripe: string, clientSecret: string, amount: number): string {
  return `<!doctype html><title>Pay</title><script src="${stripe}/v3/"></script>
    <form><div id="card"></div><button>Pay</button></form><p role="status"></p>
    <script nonce="here">
      const stripe = Stripe('pk_test_double');
      const elements = stripe.elements({ mode: 'payment', amount: ${amount}, currency: 'usd' });
      elements.create('payment').mount('#card');
      const redirect = new URLSearchParams(location.search).get('redirect') ?? 'if_required';
      document.querySelector('form').addEventListener('submit', async (event) => {
        event.preventDefault();
        const say = (text) => { document.querySelector('[role=status]').textContent = text; };
        const checked = await elements.submit();
        if (checked.error) return say(checked.error.message);
        const result = await stripe.confirmPayment({
          elements, clientSecret: '${clientSecret}', confirmParams: { return_url: location.origin + '/back' }, redirect,
        });
        say(result.error ? (result.error.decline_code ?? result.error.code ?? result.error.message) : result.paymentIntent.status);
      });
    </script>`;
}

for (const path of executable === null ? [] : [executable]) {
  describe('the stand-in for Stripe.js in Chromium', () => {
    const browser = testBrowser(path);
    let double: StripeDouble;
    let stripe: PaymentProvider;
    let server: Server;
    let origin: string;
    let shown = '';
    let operations = 0;

    beforeAll(async () => {
      double = await startStripeDouble({ clock: createTestClock() });
      stripe = createStripe({ url: double.url });
      server = createServer((_request, response) => {
        response.setHeader('Content-Type', 'text/html');
        const policy = `default-src 'none'; script-src 'nonce-here' ${double.url}; connect-src ${double.url}`;
        response.setHeader('Content-Security-Policy', policy);
        response.end(shown);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterAll(async () => {
      await double.close();
      server.closeAllConnections();
      server.close();
    });

    const asked = () => ({
      account: double.account(),
      currency: { code: 'USD', exponent: 2 },
      signal: AbortSignal.timeout(5_000),
    });

    /** Opens the page of a new payment of 20 dollars. */
    async function open({
      amount = 2_000,
      search = '',
    } = {}): Promise<{ page: Page; ref: string; problems: string[] }> {
      operations += 1;
      const call: StartCall = {
        ...asked(),
        operationId: operations,
        key: `tl_1_${operations}`,
        companyId: 1,
        paymentId: operations,
        amount: 2_000,
        kind: 'any',
        capture: 'at_once',
        description: 'Order',
        returnUrl: `${origin}/back`,
        webhookUrl: `${origin}/hook`,
        save: false,
        token: null,
      };
      const outcome = await stripe.start(call);
      if (outcome.kind !== 'done' || outcome.value.next?.type !== 'client_secret') throw new Error('Not started');
      shown = shopPage(double.url, outcome.value.next.clientSecret, amount);
      const { page, problems } = await openTab(browser, { origin });
      await page.goto(`${origin}/${search}`);
      return { page, problems, ref: outcome.value.facts.ref };
    }

    async function pay(page: Page, number: string): Promise<void> {
      await page.getByLabel('Card number').fill(number);
      await page.getByLabel('Expiration date').fill('08 / 30');
      await page.getByLabel('Security code').fill('123');
      await page.getByRole('button', { name: 'Pay' }).click();
    }

    async function says(page: Page, text: string): Promise<void> {
      await page.getByRole('status').filter({ hasText: text }).waitFor();
    }

    test('pays by card, after a decline too', async () => {
      const { page, ref, problems } = await open();
      await page.getByRole('button', { name: 'Pay' }).click();
      await says(page, 'Your card number is incomplete.');
      await pay(page, '4000 0000 0000 9995');
      await says(page, 'insufficient_funds');
      await pay(page, '4242 4242 4242 4242');
      await says(page, 'succeeded');
      expect(await stripe.fetch(asked(), ref)).toMatchObject({ status: 'captured', captured: 2_000 });
      expect(problems).toEqual([]);
    });

    test('asks for 3-D Secure, which is failed and passed', async () => {
      const { page, ref, problems } = await open();
      await pay(page, '4000 0027 6000 3184');
      await page.getByRole('dialog', { name: '3-D Secure' }).getByRole('button', { name: 'Fail' }).click();
      await says(page, 'payment_intent_authentication_failure');
      expect(await stripe.fetch(asked(), ref)).toMatchObject({ failure: { code: 'authentication_required' } });
      await page.getByRole('button', { name: 'Pay' }).click();
      await page.getByRole('dialog', { name: '3-D Secure' }).getByRole('button', { name: 'Pass' }).click();
      await says(page, 'succeeded');
      expect(await stripe.fetch(asked(), ref)).toMatchObject({ status: 'captured' });
      expect(problems).toEqual([]);
    });

    test('returns to the shop where it is to redirect always', async () => {
      const { page, ref } = await open({ search: '?redirect=always' });
      await pay(page, '4242424242424242');
      await page.waitForURL(/\/back\?/);
      const { searchParams } = new URL(page.url());
      expect(searchParams.get('payment_intent')).toBe(ref);
      expect(searchParams.get('redirect_status')).toBe('succeeded');
    });

    test('refuses an amount other than that of the PaymentIntent', async () => {
      const { page, ref } = await open({ amount: 1_999 });
      await pay(page, '4242424242424242');
      await says(page, 'The amount of Elements does not match');
      expect(await stripe.fetch(asked(), ref)).toMatchObject({ status: 'action_required', captured: 0 });
    });
  });
}
