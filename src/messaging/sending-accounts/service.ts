import { recordAuditEntry } from '../../access/audit.ts';
import type { CompanyCache } from '../../access/company-cache.ts';
import type { MasterKey } from '../../access/master-key.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { found, invalidField } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import { type HostGuard, RequestRefused } from '../../net/host-guard.ts';
import { forgetSendingTime } from '../send/send-rate.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { CHANNEL_OF, PROVIDERS, type Provider, type ProviderSettings } from './accounts.ts';
import type { SendingAccountInput, SendingAccountPatch, SendingAccountRecord } from './contract.ts';
import * as queries from './queries.ts';
import { changedAccount, type GivenAccount, newAccount, providerIn } from './settings-of.ts';
import { sendTestMessage } from './test-message.ts';
import { rateKeyOf, requireAllowed } from './transports.ts';

const MAX_ACCOUNTS = 10;
/** Four characters would reveal too much of a shorter secret. */
const SHOWN_FROM = 16;

export interface SendingAccountsDeps {
  db: Db;
  companies: CompanyCache<SendingCompany>;
  masterKey: Pick<MasterKey, 'open'>;
  guard: HostGuard;
  /** Encrypts a secret with the master key; ciphertext in base64. */
  sealSecret(secret: string): string;
  /** Makes this process see a change at once; other processes see it within a second. */
  refreshSettings(): Promise<void>;
  /** The base URL of this server, without a trailing slash. */
  origin: () => string;
}

export type SendingAccountsService = ReturnType<typeof createSendingAccountsService>;

/** The accounts at mail and SMS services that a company uses instead of the installation's. */
export function createSendingAccountsService(deps: SendingAccountsDeps) {
  const { db, companies, masterKey, guard, sealSecret, refreshSettings, origin } = deps;
  const recordOf = (companyId: number, row: queries.AccountRow) => accountRecord(companyId, row, origin());

  function sealed({ secret }: { secret: string }): Pick<queries.AccountRow, 'sealed_secret' | 'secret_end'> {
    return { sealed_secret: sealSecret(secret), secret_end: secret.length < SHOWN_FROM ? null : secret.slice(-4) };
  }

  return {
    async listAccounts(
      companyId: number,
      query: { page?: number; per_page?: number },
    ): Promise<Page<SendingAccountRecord>> {
      const { page, perPage, ...bounds } = pageOf(query);
      const { rows, total } = await queries.listAccounts(db.lists(companyId), companyId, bounds);
      return { rows: rows.map((row) => recordOf(companyId, row)), total, page, perPage };
    },

    /** Throws not_found. */
    async getAccount(companyId: number, id: number): Promise<SendingAccountRecord> {
      return recordOf(
        companyId,
        found(await queries.findAccount(db.points(companyId), companyId, id), 'sending account'),
      );
    },

    /** Throws validation_failed. */
    async createAccount(caller: Caller, input: SendingAccountInput): Promise<SendingAccountRecord> {
      const { companyId, now } = caller;
      const provider = providerIn(input);
      if (provider === null) throw invalidField('smtp', `One of ${PROVIDERS.join(', ')} is required`, 'required');
      const given = newAccount(provider, input);
      requireReachable(given, guard);
      if ((await companies.get(companyId)).isDemo) {
        throw invalidField(
          provider,
          'The demo shop sends nothing: its messages stay in the mailbox. Create a company of your own',
        );
      }
      const channel = CHANNEL_OF[provider];
      const { name, rate = null, connections = null, active = false } = input;
      const fields = { name, rate, connections, active, settings: given.settings, ...sealed(given) };
      const record = await write(db, caller, async (tx) => {
        await queries.lockAccounts(tx, companyId);
        if ((await queries.countAccounts(tx, companyId)) >= MAX_ACCOUNTS) {
          throw invalidField('name', `A company has at most ${MAX_ACCOUNTS} sending accounts`);
        }
        if (active) await queries.deactivateAccounts(tx, companyId, channel, now);
        const row = await queries.insertAccount(tx, companyId, { ...fields, provider, channel }, now);
        await audit(tx, caller, 'sending_account.create', row, {});
        return recordOf(companyId, row);
      });
      await refreshSettings();
      return record;
    },

    /** Throws not_found, validation_failed. */
    async updateAccount(caller: Caller, id: number, patch: SendingAccountPatch): Promise<SendingAccountRecord> {
      const { companyId, now } = caller;
      const record = await write(db, caller, async (tx) => {
        await queries.lockAccounts(tx, companyId);
        const row = found(await queries.findAccount(tx, companyId, id, true), 'sending account');
        const asked = providerIn(patch);
        if (asked !== null && asked !== row.provider) {
          throw invalidField(asked, `The account is one of ${row.provider}: add another account instead`);
        }
        const given = changedAccount(row.provider, row.settings, patch);
        if (asked !== null) requireReachable(given, guard);
        const { name = row.name, rate = row.rate, connections = row.connections, active = row.active } = patch;
        const { sealed_secret, secret_end } = given.secret === null ? row : sealed({ secret: given.secret });
        const fields = { name, rate, connections, active, settings: given.settings, sealed_secret, secret_end };
        if (active && !row.active) await queries.deactivateAccounts(tx, companyId, row.channel, now);
        const after = await queries.updateAccount(tx, companyId, id, fields, now);
        await audit(tx, caller, 'sending_account.update', after, given.secret === null ? {} : { secret: 'replaced' });
        return recordOf(companyId, after);
      });
      await refreshSettings();
      return record;
    },

    /** Throws not_found. */
    async deleteAccount(caller: Caller, id: number): Promise<{ account_id: number; deleted: boolean }> {
      const { companyId } = caller;
      const deleted = await write(db, caller, async (tx) => {
        const row = found(await queries.deleteAccount(tx, companyId, id), 'sending account');
        await audit(tx, caller, 'sending_account.delete', row, {});
        return { account_id: id, deleted: true };
      });
      // Not a company's table; if this fails, one small row is left over.
      await forgetSendingTime(db.writes(companyId), rateKeyOf(companyId, id));
      await refreshSettings();
      return deleted;
    },

    /** Sends one message through the account and returns the outcome. Throws not_found, validation_failed. */
    async testAccount(
      caller: Caller,
      id: number,
      { to }: { to: string },
    ): Promise<{ account_id: number; sent: boolean; reply: string }> {
      const { companyId, now } = caller;
      const account = found(await queries.findAccount(db.points(companyId), companyId, id), 'sending account');
      const company = await companies.get(companyId);
      const result = await sendTestMessage(company, account, to, { masterKey, guard, now, receiptUrl: () => null });
      const sent = result.kind === 'sent';
      const reply = result.kind === 'unknown' ? result.reason : result.reply;
      return write(db, caller, async (tx) => {
        await audit(tx, caller, 'sending_account.test', account, { sent });
        return { account_id: id, sent, reply };
      });
    },
  };
}

function requireReachable({ provider, settings }: GivenAccount, guard: HostGuard): void {
  try {
    requireAllowed({ provider, settings }, guard);
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    const field = provider === 'smtp' ? 'smtp.host' : `${provider}.api_url`;
    throw invalidField(field, error.message);
  }
}

async function audit(
  tx: Tx,
  caller: Caller,
  action: string,
  { id, name, provider, active, settings }: queries.AccountRow,
  more: Record<string, unknown>,
): Promise<void> {
  const { actor, now: at } = caller;
  const details = { name, provider, active, settings, ...more };
  await recordAuditEntry(tx, caller.companyId, { at, actor, action, target: `sending_account:${id}`, details });
}

function accountRecord(companyId: number, row: queries.AccountRow, origin: string): SendingAccountRecord {
  const only = <P extends Provider>(provider: P): ProviderSettings[P] | null =>
    row.provider === provider ? (row.settings as ProviderSettings[P]) : null;
  return {
    account_id: row.id,
    name: row.name,
    channel: row.channel,
    provider: row.provider,
    active: row.active,
    smtp: only('smtp'),
    ses: only('ses'),
    sendgrid: only('sendgrid'),
    postmark: only('postmark'),
    mailgun: only('mailgun'),
    twilio: only('twilio'),
    secret_end: row.secret_end,
    rate: row.rate,
    connections: row.connections,
    notifications_url: notificationsUrl(companyId, row.provider, origin),
    failing_since: row.failing_since && formatTimestamp(row.failing_since),
    failure: row.failure,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

function notificationsUrl(companyId: number, provider: Provider, origin: string): string | null {
  if (provider === 'smtp') return null;
  if (provider === 'twilio') return `${origin}/marketing/sms/inbound/twilio/${companyId}`;
  return `${origin}/marketing/bounces/${provider}/${companyId}`;
}
