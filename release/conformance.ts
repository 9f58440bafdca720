import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { systemClock } from '../src/clock.ts';
import { createProviders } from '../src/commerce/payments/providers/load.ts';
import { PAYMENT_SERVICES, type PaymentService } from '../src/commerce/payments/providers/provider.ts';
import { resultPage, type Subject, tryService } from '../src/commerce/payments/testing/conformance/cases.ts';
import { readConfig } from '../src/config.ts';
import { exponentOf, isCurrency } from '../src/lib/currency.ts';

const USAGE = `Tries everything that Tradeloom relies on with your account for tests at a payment service, and writes a page of results into dist/.

  SECRET_KEY=sk_test_… npm run conformance -- stripe
  SECRET_KEY=test_… npm run conformance -- mollie

CURRENCY=USD  the currency of the payments, 12.50 each; EUR without it
LONG=1        tries too whether a key of a request is remembered for as long as Tradeloom relies on it, which
              takes 59 minutes at Mollie, and a day at Stripe

Stripe's test card pays by itself. At Mollie you pay, on the pages whose addresses are printed.
The payments, customers and refunds stay in your test account. Live keys are refused.
`;

/** Keys for tests; restricted ones of Stripe too. */
const KEYS: Record<PaymentService, RegExp> = { stripe: /^[sr]k_test_\w+$/, mollie: /^test_\w+$/ };
const PAY_WITHIN_MS = 300_000;

const [name] = process.argv.slice(2);
const { SECRET_KEY: secretKey = '', CURRENCY: code = 'EUR', LONG } = process.env;
const service = PAYMENT_SERVICES.find((one) => one === name);
if (service === undefined) refuse(USAGE);
if (secretKey === '') refuse(`SECRET_KEY is missing.\n\n${USAGE}`);
if (!KEYS[service].test(secretKey)) refuse(`SECRET_KEY is no key for tests of ${service}.\n\n${USAGE}`);
if (!isCurrency(code)) refuse(`CURRENCY must be a code such as EUR.\n\n${USAGE}`);

const { paymentUrls } = readConfig({}, process.env);
const provider = await createProviders(paymentUrls)(service);
const account = { id: 0, mode: 'test' as const, publishableKey: null, secretKey, webhookSecrets: [] };
const now = systemClock.now();
const subject: Subject = {
  provider,
  account,
  currency: { code, exponent: exponentOf(code) },
  firstOperation: now.getTime(),
  since: now,
  pay: service === 'mollie' ? payByHand : payerOf(secretKey),
  wait: LONG === '1' ? (ms) => sleep(ms) : null,
};
process.stderr.write(`Trying ${service} in ${code}. ${service === 'mollie' ? 'You will be asked to pay.' : ''}\n`);
const results = await tryService(subject, ({ name: what, failure }) => {
  process.stderr.write(`${failure === null ? 'yes' : 'NO '} ${what}${failure === null ? '' : `: ${failure}`}\n`);
});
const day = now.toISOString().slice(0, 10);
const page = resultPage(`${service}, ${code}, ${day}`, results);
const file = join('dist', `conformance-${service}-${day}.md`);
mkdirSync('dist', { recursive: true });
writeFileSync(file, page);
process.stdout.write(`${page}\nThis page is in ${file}\n`);
process.exitCode = results.some(({ failure }) => failure !== null) ? 1 : 0;

function refuse(text: string): never {
  process.stderr.write(text);
  process.exit(2);
}

function payerOf(key: string): Subject['pay'] {
  const { hostname: host, port, protocol } = new URL(paymentUrls.stripe ?? 'https://api.stripe.com');
  const at = { host, port: port || undefined, protocol: protocol === 'http:' ? ('http' as const) : ('https' as const) };
  const stripe = new Stripe(key, { maxNetworkRetries: 2, ...at });
  return async ({ facts }) => {
    const card = { payment_method: 'pm_card_visa', return_url: 'https://example.com/back' };
    await stripe.paymentIntents.confirm(facts.ref, card);
  };
}

async function payByHand(
  { facts, next }: Parameters<Subject['pay']>[0],
  capture: Parameters<Subject['pay']>[1],
): Promise<void> {
  const url = next?.type === 'redirect' ? next.url : null;
  if (url === null) throw new Error('There is no page to pay on');
  const choice = capture === 'later' ? 'a card, and Authorized' : 'any way to pay, and Paid';
  process.stderr.write(`Within five minutes, choose ${choice} on this page: ${url}\n`);
  const signal = AbortSignal.timeout(PAY_WITHIN_MS);
  while (!signal.aborted) {
    await sleep(1_000);
    const asked = { account, currency: subject.currency, signal: AbortSignal.timeout(10_000) };
    const { status } = await provider.fetch(asked, facts.ref);
    if (status === 'captured' || status === 'authorized') return;
    if (status === 'failed' || status === 'cancelled') throw new Error(`The payment was ${status} on the page`);
  }
  throw new Error('Nobody paid within five minutes');
}
