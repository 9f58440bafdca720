import Stripe from 'stripe';
import { expect, test } from 'vitest';
import { createTestClock } from '../../../../testing/test-clock.ts';
import { createMollie } from '../../providers/mollie/provider.ts';
import { createStripe } from '../../providers/stripe/provider.ts';
import { startMollieDouble } from '../mollie/double.ts';
import { startStripeDouble } from '../stripe/double.ts';
import { resultPage, tryService } from './cases.ts';

/** What owners try with their own accounts holds for the doubles. */
test('the double of Stripe does all that the shop relies on', async () => {
  const clock = createTestClock();
  const stripe = await startStripeDouble({ clock });
  const { hostname: host, port } = new URL(stripe.url);
  const sdk = new Stripe(stripe.account().secretKey, { host, port, protocol: 'http', maxNetworkRetries: 0 });
  const results = await tryService({
    provider: createStripe({ url: stripe.url }),
    account: stripe.account(),
    currency: { code: 'EUR', exponent: 2 },
    firstOperation: 1,
    since: clock.now(),
    wait: async (ms) => clock.advance(ms),
    pay: async ({ facts }) => {
      const card = { payment_method: 'pm_card_visa', return_url: 'https://example.com/back' };
      await sdk.paymentIntents.confirm(facts.ref, card);
    },
  });
  expect(results.filter(({ failure }) => failure !== null)).toEqual([]);
  await stripe.close();
});

test('the double of Mollie does all that the shop relies on', async () => {
  const clock = createTestClock();
  const mollie = await startMollieDouble({ clock });
  const results = await tryService({
    provider: createMollie({ url: mollie.url }),
    account: mollie.account(),
    currency: { code: 'EUR', exponent: 2 },
    firstOperation: 1,
    since: clock.now(),
    wait: async (ms) => clock.advance(ms),
    pay: async ({ next }, capture) => {
      const body = new URLSearchParams({ action: capture === 'later' ? 'authorize' : 'pay' });
      if (next?.type === 'redirect') await fetch(next.url, { method: 'POST', body, redirect: 'manual' });
    },
  });
  expect(results.filter(({ failure }) => failure !== null)).toEqual([]);
  await mollie.close();
});

test('the page of results says what differs', () => {
  const page = resultPage('Stripe', [
    { name: 'takes the whole amount', ms: 12, failure: null },
    { name: 'cancels a payment', ms: 3, failure: 'declined: a | b' },
  ]);
  expect(page).toContain('1 of 2 differ.');
  expect(page).toContain('| takes the whole amount | yes | 12 |');
  expect(page).toContain('| cancels a payment | no: declined: a / b | 3 |');
});
