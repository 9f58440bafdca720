import { systemClock } from '../../src/clock.ts';
import { startStripeDouble } from '../../src/commerce/payments/testing/stripe/double.ts';

const stripe = await startStripeDouble({ clock: systemClock });
process.on('message', ({ webhook }: { webhook: string }) => stripe.registerWebhook(webhook));
process.once('disconnect', () => process.exit(0));
process.send!({ url: stripe.url, publishableKey: stripe.publishableKey, account: stripe.account() });
