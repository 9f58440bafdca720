import { recordAuditEntry } from '../../../access/audit.ts';
import { findCompany } from '../../../access/company-queries.ts';
import type { CompanyVersions } from '../../../access/company-versions.ts';
import { type MasterKey, NotOpened } from '../../../access/master-key.ts';
import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../../db/pool.ts';
import { AppError, found, invalidField } from '../../../errors.ts';
import { checkRoom } from '../../configuration.ts';
import type { ShopCache } from '../../shop.ts';
import type { Providers } from '../providers/load.ts';
import type { PaymentService } from '../providers/provider.ts';
import { type AccountSecrets, newWebhookToken, openAccount, sealSecrets } from './account.ts';
import { type CheckDeps, loadService, ServiceNotLoaded, tryAccount } from './check.ts';
import type { CheckedPaymentAccount, PaymentAccount, PaymentAccountInput, PaymentAccountPatch } from './contract.ts';
import { type AccountFields, changedAccount, endOf, newAccount } from './fields.ts';
import * as queries from './queries.ts';

const MAX_ACCOUNTS = 10;

export interface PaymentAccountsDeps {
  db: Db;
  versions: Pick<CompanyVersions, 'refresh'>;
  shops: ShopCache;
  masterKey: Pick<MasterKey, 'seal' | 'open'>;
  providers: Providers;
  /** The base URL of this server, without a trailing slash. */
  origin: () => string;
}

export type PaymentAccountsService = ReturnType<typeof createPaymentAccountsService>;

type Maker = Pick<Caller, 'companyId' | 'now' | 'actor'>;
type MakerDeps = Pick<PaymentAccountsDeps, 'masterKey' | 'providers' | 'origin'>;

/** The accounts at payment services through which a company takes payments. */
export function createPaymentAccountsService(deps: PaymentAccountsDeps) {
  const { db, versions, shops, providers } = deps;

  async function change<T>(caller: Caller, work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = await write(db, caller, work);
    // The write is committed: if this poll fails, the next one repeats it.
    await versions.refresh().catch(() => {});
    return result;
  }

  return {
    /** The oldest first. */
    async listAccounts(companyId: number): Promise<{ payment_accounts: PaymentAccount[] }> {
      return { payment_accounts: await listAccountsIn(db.lists(companyId), companyId, deps) };
    },

    /** Throws not_found. */
    async getAccount(companyId: number, id: number): Promise<PaymentAccount> {
      const row = await queries.findAccount(db.points(companyId), companyId, id);
      return accountRecord(found(row, 'payment account'), deps);
    },

    /** Throws validation_failed. */
    async createAccount(caller: Caller, input: PaymentAccountInput): Promise<PaymentAccount> {
      const fields = await checkedInput(deps, input);
      return change(caller, (tx) => insert(tx, caller, input, fields, deps));
    },

    /** Sets the given fields. Throws not_found, validation_failed. */
    async updateAccount(caller: Caller, id: number, patch: PaymentAccountPatch): Promise<PaymentAccount> {
      const { companyId, now } = caller;
      const seen = found(await queries.findAccount(db.points(companyId), companyId, id), 'payment account');
      if (patch.active && !seen.active) await requireService(providers, seen.provider);
      return change(caller, async (tx) => {
        const row = found(await queries.lockAccount(tx, companyId, id, 'change'), 'payment account');
        const fields = changedAccount(row, { ...row, secrets: secretsOf(row, deps) }, patch);
        const isSealed = patch.secret_key === undefined && patch.webhook_secret === undefined;
        const values = isSealed ? keepSecrets(fields, row) : valuesOf(fields, deps);
        const after = await queries.updateAccount(tx, companyId, id, values, now);
        await audit(tx, caller, 'update', after, replaced(patch));
        return accountRecord(after, deps);
      });
    },

    /** Throws not_found, and in_use if a method or a payment refers to it. */
    async deleteAccount(caller: Caller, id: number): Promise<{ id: number; deleted: boolean }> {
      const { companyId } = caller;
      return change(caller, async (tx) => {
        const row = found(await queries.lockAccount(tx, companyId, id, 'delete'), 'payment account');
        const { method_ids, has_payment } = await queries.findUse(tx, companyId, id);
        if (method_ids.length > 0) {
          const message = `Payment methods use it: ${method_ids.join(', ')}. Deactivate the account instead`;
          throw new AppError('in_use', message, { method_ids });
        }
        if (has_payment) throw new AppError('in_use', 'Payments were made through it. Deactivate the account instead');
        await queries.deleteAccount(tx, companyId, id);
        await audit(tx, caller, 'delete', row, {});
        return { id, deleted: true };
      });
    },

    /** Asks the service for the account's methods. Errors of the service are results. Throws not_found. */
    async checkAccount(caller: Caller, id: number): Promise<CheckedPaymentAccount> {
      const { companyId } = caller;
      const row = await queries.findAccount(db.points(companyId), companyId, id);
      const { record, result } = await tried(deps, row, await shops.get(companyId));
      return write(db, caller, async (tx) => {
        await audit(tx, caller, 'check', record, { ok: result.ok });
        return result;
      });
    },
  };
}

/** Creates an account in the caller's transaction. Throws validation_failed, and not_found for an unknown company. */
export async function createAccountIn(
  tx: Tx,
  maker: Maker,
  input: PaymentAccountInput,
  deps: MakerDeps,
): Promise<PaymentAccount> {
  found(await findCompany(tx, maker.companyId), `company ${maker.companyId}`);
  return insert(tx, maker, input, await checkedInput(deps, input), deps);
}

/** The oldest first. */
export async function listAccountsIn(
  db: Queryable,
  companyId: number,
  deps: Pick<PaymentAccountsDeps, 'origin'>,
): Promise<PaymentAccount[]> {
  return (await queries.listAccounts(db, companyId)).map((row) => accountRecord(row, deps));
}

/** Tries an account outside of a request. Throws not_found. */
export async function checkAccountIn(
  deps: CheckDeps & { db: Db },
  maker: Maker,
  id: number,
  currency: { currency: string; exponent: number },
): Promise<CheckedPaymentAccount> {
  const { record, result } = await tried(deps, await queries.findAccount(deps.db, maker.companyId, id), currency);
  await deps.db.tx((tx) => audit(tx, maker, 'check', record, { ok: result.ok }));
  return result;
}

async function tried(
  deps: CheckDeps,
  row: queries.AccountRow | undefined,
  currency: { currency: string; exponent: number },
): Promise<{ record: queries.AccountRow; result: CheckedPaymentAccount }> {
  const record = found(row, 'payment account');
  const { ok, methods, message } = await tryAccount(deps, record, currency);
  return { record, result: { id: record.id, ok, methods, message } };
}

async function checkedInput({ providers }: MakerDeps, input: PaymentAccountInput): Promise<AccountFields> {
  const fields = newAccount(input);
  if (fields.active) await requireService(providers, input.provider);
  return fields;
}

/** An account that cannot work is not activated. Throws validation_failed. */
async function requireService(providers: Providers, name: PaymentService): Promise<void> {
  try {
    await loadService(providers, name);
  } catch (error) {
    if (!(error instanceof ServiceNotLoaded)) throw error;
    throw invalidField('active', error.message);
  }
}

async function insert(
  tx: Tx,
  maker: Maker,
  input: PaymentAccountInput,
  fields: AccountFields,
  deps: MakerDeps,
): Promise<PaymentAccount> {
  const { companyId, now } = maker;
  const { provider, mode } = input;
  await queries.lockAccounts(tx, companyId);
  checkRoom((await queries.listAccounts(tx, companyId)).length, MAX_ACCOUNTS, 'payment accounts');
  const account = { ...valuesOf(fields, deps), provider, mode, webhook_token: newWebhookToken() };
  const row = await queries.insertAccount(tx, companyId, account, now);
  const { secret_key, webhook_secret } = input;
  await audit(tx, maker, 'create', row, replaced({ secret_key, webhook_secret: webhook_secret ?? undefined }));
  return accountRecord(row, deps);
}

function valuesOf(
  { name, active, publishable_key, secrets }: AccountFields,
  { masterKey }: Pick<MakerDeps, 'masterKey'>,
): queries.AccountValues {
  const sealed_config = sealSecrets(masterKey, secrets);
  return { name, active, publishable_key, sealed_config, secret_end: endOf(secrets.secret_key) };
}

/** The secrets of an account; none if they were sealed with a master key that is lost. */
function secretsOf(row: queries.AccountRow, { masterKey }: Pick<PaymentAccountsDeps, 'masterKey'>): AccountSecrets {
  try {
    const { secretKey, webhookSecrets } = openAccount(masterKey, row);
    return { secret_key: secretKey, webhook_secrets: [...webhookSecrets] };
  } catch (error) {
    if (!(error instanceof NotOpened)) throw error;
    return { secret_key: '', webhook_secrets: [] };
  }
}

/** With the secrets as they are sealed: the master key may be found again. */
function keepSecrets({ name, active, publishable_key }: AccountFields, row: queries.AccountRow): queries.AccountValues {
  const { sealed_config, secret_end } = row;
  return { name, active, publishable_key, sealed_config, secret_end };
}

/** Which secrets a request sets. */
function replaced({ secret_key, webhook_secret }: PaymentAccountPatch): Record<string, string> {
  const entries = Object.entries({ secret_key, webhook_secret }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([field, value]) => [field, value === null ? 'removed' : 'set']));
}

async function audit(
  tx: Tx,
  { companyId, now: at, actor }: Maker,
  verb: 'create' | 'update' | 'delete' | 'check',
  { id, name, provider, mode, active, publishable_key }: queries.AccountRow,
  more: Record<string, unknown>,
): Promise<void> {
  const details = { name, provider, mode, active, publishable_key, ...more };
  const [action, target] = [`payment_account.${verb}`, `payment_account:${id}`];
  await recordAuditEntry(tx, companyId, { at, actor, action, target, details });
}

function accountRecord(row: queries.AccountRow, { origin }: Pick<PaymentAccountsDeps, 'origin'>): PaymentAccount {
  const { id, provider, mode, name, active, publishable_key, secret_end, webhook_token } = row;
  return {
    id,
    provider,
    mode,
    name,
    active,
    publishable_key,
    secret_end,
    webhook_url: `${origin()}/payments/webhooks/${webhook_token}`,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
