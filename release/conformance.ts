import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { systemClock } from '../src/clock.ts';
import { createProviders } from '../src/commerce/payments/providers/load.ts';
import { PAYMENT_SERVICES, type PaymentService, type Started } from '../src/commerce/payments/providers/provider.ts';
import { resultPage, type Subject, tryService } from '../src/commerce/payments/testing/conformance/cases.ts';

/**
 * Tries an account for tests of Stripe or Mollie, and prints the results as a page in Markdown:
 *
 *   SECRET_KEY=sk_test_… npm run conformance -- stripe
 *   SECRET_KEY=test_… CURRENCY=EUR npm run conformance -- mollie
 *
 * Mollie's payments are paid by the person who runs it, on the pages whose addresses are printed.
 */
const [name] = process.argv.slice(2);
const { SECRET_KEY: secretKey, CURRENCY: code = 'EUR' } = process.env;
const service = PAYMENT_SERVICES.find((one) => one === name);
if (service === undefined || secretKey === undefined || !/(^|_)test_/.test(secretKey)) {
  process.stderr.write(
    `usage: SECRET_KEY=… npm run conformance -- ${PAYMENT_SERVICES.join('|')}, with a key for tests\n`,
  );
  process.exit(2);
}

const provider = await createProviders({ stripe: null, mollie: null })(service);
const account = { id: 0, mode: 'test' as const, publishableKey: null, secretKey, webhookSecrets: [] };
const subject: Subject = {
  provider,
  account,
  currency: { code, exponent: 2 },
  firstOperation: systemClock.now().getTime(),
  since: systemClock.now(),
  pay: buyerOf(service, secretKey),
};
const results = await tryService(subject, ({ name: what, failure }) => {
  process.stderr.write(`${failure === null ? 'yes' : 'NO '} ${what}\n`);
});
process.stdout.write(resultPage(`${service}, ${systemClock.now().toISOString().slice(0, 10)}`, results));
process.exitCode = results.some(({ failure }) => failure !== null) ? 1 : 0;

function buyerOf(by: PaymentService, key: string): Subject['pay'] {
  if (by === 'mollie') return payByHand;
  const stripe = new Stripe(key, { maxNetworkRetries: 2 });
  return async ({ facts }) => {
    const card = { payment_method: 'pm_card_visa', return_url: 'https://example.com/back' };
    await stripe.paymentIntents.confirm(facts.ref, card);
  };
}

async function payByHand({ facts, next }: Started): Promise<void> {
  const url = next?.type === 'redirect' ? next.url : null;
  if (url === null) throw new Error('There is no page to pay on');
  process.stderr.write(`Pay on this page: ${url}\n`);
  const signal = AbortSignal.timeout(300_000);
  while (!signal.aborted) {
    await sleep(2_000);
    const asked = { account, currency: subject.currency, signal: AbortSignal.timeout(10_000) };
    if ((await provider.fetch(asked, facts.ref)).status !== 'action_required') return;
  }
  throw new Error('Nobody paid within five minutes');
}
