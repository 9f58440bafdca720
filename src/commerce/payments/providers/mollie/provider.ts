import type { PaymentProvider } from '../provider.ts';

export function createMollie(_options: { url: string | null }): PaymentProvider {
  throw new Error('Mollie is not supported yet');
}
