import { type MasterKey, NotOpened } from '../../../access/master-key.ts';
import type { Providers } from '../providers/load.ts';
import {
  AccountRefused,
  type PaymentProvider,
  type PaymentService,
  type ProviderAccount,
  ProviderUnavailable,
} from '../providers/provider.ts';
import { openAccount, type PaymentAccount } from './account.ts';

const NAMES: Record<PaymentService, string> = { stripe: 'Stripe', mollie: 'Mollie' };
/** Milliseconds that a service has to respond. */
const TIMEOUT_MS = 15_000;

export interface CheckDeps {
  masterKey: Pick<MasterKey, 'open'>;
  providers: Providers;
}

export interface CheckResult {
  ok: boolean;
  /** What the service calls the methods that the account offers. */
  methods: string[];
  /** Why the check failed, without secrets. */
  message: string | null;
}

/** The code of a service cannot be loaded. */
export class ServiceNotLoaded extends Error {}

/** Throws ServiceNotLoaded. */
export async function loadService(providers: Providers, name: PaymentService): Promise<PaymentProvider> {
  try {
    return await providers(name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const cause =
      code === 'ERR_MODULE_NOT_FOUND'
        ? 'its package is missing in this checkout. Run npm install with development packages, or use the published package'
        : message;
    throw new ServiceNotLoaded(`The code for ${NAMES[name]} cannot be loaded: ${cause}`, { cause: error });
  }
}

/** Asks the service which methods the account offers. Errors of the service are results. */
export async function tryAccount(
  { masterKey, providers }: CheckDeps,
  account: PaymentAccount,
  { currency, exponent }: { currency: string; exponent: number },
): Promise<CheckResult> {
  const failed = (message: string): CheckResult => ({ ok: false, methods: [], message });
  const opened = openedOrNull(masterKey, account);
  if (opened === null) return failed('The master key with which its secrets were sealed is lost: enter them again');
  if (opened.secretKey === '') return failed('The account has no secret key');
  const name = NAMES[account.provider];
  try {
    const provider = await loadService(providers, account.provider);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const methods = await provider.methods({ account: opened, currency: { code: currency, exponent }, signal });
    return { ok: true, methods, message: null };
  } catch (error) {
    const said = (): string => withoutSecrets((error as Error).message, [opened.secretKey, ...opened.webhookSecrets]);
    if (error instanceof ServiceNotLoaded) return failed(error.message);
    if (error instanceof AccountRefused) return failed(`${name} refuses the keys of the account: ${said()}`);
    if (error instanceof ProviderUnavailable) return failed(`${name} cannot be reached: ${said()}`);
    throw error;
  }
}

/** Null if the secrets were sealed with another master key. */
function openedOrNull(masterKey: CheckDeps['masterKey'], account: PaymentAccount): ProviderAccount | null {
  try {
    return openAccount(masterKey, account);
  } catch (error) {
    if (error instanceof NotOpened) return null;
    throw error;
  }
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '•••'), text);
}
