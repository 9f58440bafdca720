import type { Clock } from '../../../clock.ts';
import type { PaymentAccount } from '../accounts/contract.ts';
import type { PaymentAccountsService } from '../accounts/service.ts';
import type { PaymentService, ProviderAccount } from '../providers/provider.ts';

/** Adds the account of a double to a company; payment methods can name it. */
export function addTestAccount(
  { paymentAccounts, clock }: { paymentAccounts: Pick<PaymentAccountsService, 'createAccount'>; clock: Clock },
  companyId: number,
  provider: PaymentService,
  { secretKey, publishableKey, webhookSecrets }: ProviderAccount,
): Promise<PaymentAccount> {
  const caller = { companyId, actor: 'test', requestId: 'test', now: clock.now(), idempotency: null };
  return paymentAccounts.createAccount(caller, {
    provider,
    mode: 'test',
    name: provider,
    secret_key: secretKey,
    publishable_key: publishableKey,
    webhook_secret: webhookSecrets[0] ?? null,
    active: true,
  });
}
