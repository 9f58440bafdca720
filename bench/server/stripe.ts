import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { RunningApp } from '../../src/app.ts';
import type { ProviderAccount } from '../../src/commerce/payments/providers/provider.ts';
import { addTestAccount } from '../../src/commerce/payments/testing/account.ts';
import { endWithProcess } from './endings.ts';

/** Stripe's stand-in in a process of its own, as the service is elsewhere. */
export interface BenchStripe {
  url: string;
  publishableKey: string;
  account: ProviderAccount;
  process: ChildProcess;
}

export async function startStripe(): Promise<BenchStripe> {
  const child = fork(fileURLToPath(new URL('./stripe-process.ts', import.meta.url)));
  endWithProcess(async () => void child.kill());
  const [started] = (await once(child, 'message')) as [Omit<BenchStripe, 'process'>];
  return { ...started, process: child };
}

/** Adds a method by cards to a company, and has Stripe send its webhooks there. Returns the method's id. */
export async function addCardMethod(
  { app }: Pick<RunningApp, 'app'>,
  companyId: number,
  { account, process: child }: BenchStripe,
): Promise<number> {
  const caller = { companyId, actor: 'bench', requestId: 'bench', now: app.clock.now(), idempotency: null };
  const { id: account_id, webhook_url } = await addTestAccount(app, companyId, 'stripe', account);
  child.send({ webhook: webhook_url });
  const method = { provider: 'stripe', kind: 'any', name: 'Card', account_id } as const;
  return (await app.paymentMethods.createMethod(caller, method)).id;
}
