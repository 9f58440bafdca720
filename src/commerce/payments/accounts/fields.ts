import { type FieldError, validationFailed } from '../../../errors.ts';
import { type KnownProblem, problem, wrong } from '../../../lib/validation/problems.ts';
import type { PaymentService } from '../providers/provider.ts';
import type { AccountSecrets, PaymentAccount } from './account.ts';
import type { PaymentAccountInput, PaymentAccountPatch } from './contract.ts';

/** What a request changes of an account, with its secrets opened. */
export interface AccountFields {
  name: string;
  active: boolean;
  publishable_key: string | null;
  secrets: AccountSecrets;
}

type Mode = PaymentAccount['mode'];

/** How secret keys begin. */
const SECRET_KEYS: Record<PaymentService, (mode: Mode) => string[]> = {
  stripe: (mode) => [`sk_${mode}_`, `rk_${mode}_`],
  mollie: (mode) => [`${mode}_`],
};
const SECRET_SHOWN_FROM = 16;

/** Throws validation_failed with every failing field. */
export function newAccount({ provider, mode, ...given }: PaymentAccountInput): AccountFields {
  const empty = { name: '', active: false, publishable_key: null, secrets: { secret_key: '', webhook_secrets: [] } };
  return changedAccount({ provider, mode }, empty, given);
}

/** Returns the old values with the given ones. Throws validation_failed with every failing field. */
export function changedAccount(
  { provider, mode }: { provider: PaymentService; mode: Mode },
  old: AccountFields,
  given: PaymentAccountPatch,
): AccountFields {
  const { secret_key = old.secrets.secret_key, publishable_key = old.publishable_key } = given;
  const { name = old.name, active = old.active, webhook_secret } = given;
  const errors: FieldError[] = [];
  if (name.trim() === '' || name.length > 100) {
    errors.push({ field: 'name', code: 'invalid', message: 'The name must have 1 to 100 characters' });
  }
  if (secret_key === '') {
    if (active) errors.push(wrong('secret_key', problem('no_secret_key'), 'required'));
  } else {
    check('secret_key', secret_key, SECRET_KEYS[provider](mode), errors);
  }
  if (provider === 'stripe') {
    if (publishable_key === null) errors.push(wrong('publishable_key', problem('no_publishable_key'), 'required'));
    else check('publishable_key', publishable_key, [`pk_${mode}_`], errors);
    if (typeof webhook_secret === 'string') check('webhook_secret', webhook_secret, ['whsec_'], errors);
  } else {
    const unfit = (value: string | null | undefined) => typeof value === 'string';
    if (unfit(publishable_key)) errors.push(wrong('publishable_key', unfitFor(provider)));
    if (unfit(webhook_secret)) errors.push(wrong('webhook_secret', unfitFor(provider)));
  }
  if (errors.length > 0) throw validationFailed(errors);
  const secrets = { secret_key, webhook_secrets: webhookSecrets(old.secrets.webhook_secrets, webhook_secret) };
  return { name: name.trim(), active, publishable_key, secrets };
}

/** The last characters of a secret key; null if it is too short to show any. */
export function endOf(secretKey: string): string | null {
  return secretKey.length < SECRET_SHOWN_FROM ? null : secretKey.slice(-4);
}

function unfitFor(provider: PaymentService): KnownProblem {
  return problem('unfit_for_service', { name: provider === 'mollie' ? 'Mollie' : 'Stripe' });
}

/** The value is a secret, so the error does not repeat it. */
function check(field: string, value: string, prefixes: string[], errors: FieldError[]): void {
  const begins = prefixes.some((prefix) => value.startsWith(prefix) && value.length > prefix.length);
  if (begins && /^[!-~]{8,300}$/.test(value)) return;
  errors.push(wrong(field, problem('key_prefix', { list: prefixes.join(' / ') })));
}

/** The one that is replaced is accepted until the next replacement, since webhooks under way are signed with it. */
function webhookSecrets(old: readonly string[], given: string | null | undefined): string[] {
  if (given === undefined || given === old[0]) return [...old];
  return given === null ? [] : [given, ...old.slice(0, 1)];
}
