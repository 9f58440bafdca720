import type { PaymentProvider, PaymentService } from './provider.ts';

/** Where the services are; null: at their own addresses. For tests, with a stand-in on this machine. */
export type ProviderUrls = Readonly<Record<PaymentService, string | null>>;

/** Loads the code of a service when an account needs it first. */
export type Providers = (name: PaymentService) => Promise<PaymentProvider>;

/** A shop without an active account loads neither module nor SDK. */
export function createProviders(urls: ProviderUrls): Providers {
  const loaded = new Map<PaymentService, Promise<PaymentProvider>>();
  const loaders: Record<PaymentService, () => Promise<PaymentProvider>> = {
    stripe: async () => (await import('./stripe/provider.ts')).createStripe({ url: urls.stripe }),
    mollie: async () => (await import('./mollie/provider.ts')).createMollie({ url: urls.mollie }),
  };
  return (name) => {
    const provider = loaded.get(name) ?? loaders[name]();
    loaded.set(name, provider);
    // A package that is missing may be installed by the next attempt.
    provider.catch(() => loaded.delete(name));
    return provider;
  };
}
