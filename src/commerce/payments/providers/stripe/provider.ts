import type { PaymentProvider } from '../provider.ts';

export function createStripe(_options: { url: string | null }): PaymentProvider {
  throw new Error('Stripe is not supported yet');
}
