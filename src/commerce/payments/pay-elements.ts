import { toMinor } from '../money.ts';
import type { Shop } from '../shop.ts';
import type { PaymentMethod } from './methods/method.ts';
import type { PayKind } from './pay-links.ts';
import type { ProviderUrls } from './providers/load.ts';
import { toStripe } from './providers/stripe/currency.ts';

/** What the page's script gives to Stripe.js: the public key, and the options of Elements for a payment that has not begun. */
export interface ElementsSetup {
  key: string;
  options: {
    mode: 'payment';
    /** In Stripe's units of the currency. */
    amount: number;
    /** In lower case. */
    currency: string;
    /** As the payment will be started: Stripe.js compares them. */
    captureMethod: 'automatic' | 'manual';
    allowedPaymentMethodTypes?: string[];
  };
}

/** Returns null if the method takes no such amount, or lacks its account. `total` is in major units. */
export function elementsSetup(
  { kind: type, capture, account_id }: PaymentMethod,
  { shop, total, kind }: { shop: Shop; total: number; kind: PayKind },
): ElementsSetup | null {
  const { currency, exponent, paymentAccounts } = shop;
  const key = paymentAccounts.find(({ id }) => id === account_id)?.publishable_key ?? null;
  const minor = toMinor(total, exponent);
  const amount = minor === null ? null : toStripe(minor, { code: currency, exponent });
  if (key === null || amount === null) return null;
  const isLater = kind === 'cart' && capture !== 'at_once';
  const options = {
    mode: 'payment' as const,
    amount,
    currency: currency.toLowerCase(),
    captureMethod: isLater ? ('manual' as const) : ('automatic' as const),
  };
  return { key, options: type === 'any' ? options : Object.assign(options, { allowedPaymentMethodTypes: [type] }) };
}

/** The script that takes cards: Stripe's, or that of its stand-in. */
export function stripeScript({ stripe }: ProviderUrls): string {
  return `${stripe ?? 'https://js.stripe.com'}/v3/`;
}

/** What a page may load so that Stripe.js works there, and nothing else from elsewhere. See docs/security.md. */
export function stripeSources({ stripe }: ProviderUrls): string[] {
  const [scripts, frames, calls] =
    stripe === null
      ? [
          'https://js.stripe.com https://*.js.stripe.com',
          'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
          'https://api.stripe.com',
        ]
      : [stripe, stripe, stripe];
  return [`script-src 'self' ${scripts}`, `frame-src ${frames}`, `connect-src 'self' ${calls}`];
}

/** Where the form of a page may lead that offers a method with a page of its own: from Mollie's page, buyers are led on to their banks. */
export function redirectTargets({ mollie }: ProviderUrls): string {
  return mollie === null ? 'https:' : new URL(mollie).origin;
}
