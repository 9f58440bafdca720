import { randomBytes } from 'node:crypto';
import type { MasterKey } from '../../../access/master-key.ts';
import type { PaymentService, ProviderAccount } from '../providers/provider.ts';

const WEBHOOK_TOKEN_BYTES = 32;

export const ACCOUNT_MODES = ['test', 'live'] as const;

/** An account at a payment service, as a shop's configuration has it: its secrets are sealed. */
export interface PaymentAccount {
  id: number;
  provider: PaymentService;
  mode: (typeof ACCOUNT_MODES)[number];
  active: boolean;
  publishable_key: string | null;
  /** AccountSecrets as JSON, sealed with the master key, in base64. */
  sealed_config: string;
  webhook_token: string;
}

/** What is sealed of an account. */
export interface AccountSecrets {
  secret_key: string;
  /** The newest first; two while one replaces the other. */
  webhook_secrets: string[];
}

export function sealSecrets(masterKey: Pick<MasterKey, 'seal'>, secrets: AccountSecrets): string {
  return masterKey.seal(JSON.stringify(secrets)).toString('base64');
}

/** Opens the account's secrets for a call. Throws NotOpened if they were sealed with another master key. */
export function openAccount(
  masterKey: Pick<MasterKey, 'open'>,
  { id, mode, publishable_key: publishableKey, sealed_config }: PaymentAccount,
): ProviderAccount {
  const text = masterKey.open(Buffer.from(sealed_config, 'base64'));
  const { secret_key: secretKey, webhook_secrets: webhookSecrets } = JSON.parse(text) as AccountSecrets;
  return { id, mode, publishableKey, secretKey, webhookSecrets };
}

/** The part of an account's address for webhooks that nobody can guess: a service that does not sign webhooks is known by it alone. */
export function newWebhookToken(): string {
  return randomBytes(WEBHOOK_TOKEN_BYTES).toString('base64url');
}
