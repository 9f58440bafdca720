import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../db/sql.ts';
import type { Channel } from '../ledger/message.ts';
import type { SealedAccount } from './accounts.ts';

export type AccountRow = SealedAccount & {
  name: string;
  channel: Channel;
  secret_end: string | null;
  failing_since: Date | null;
  failure: string | null;
  created_at: Date;
  updated_at: Date;
};

/** The fields of a row that a request sets. */
export type AccountFields = Pick<
  AccountRow,
  'name' | 'settings' | 'sealed_secret' | 'secret_end' | 'rate' | 'connections' | 'active'
>;

const ACCOUNT = rawSql(
  `id, name, channel, provider, settings, sealed_secret, secret_end, rate, connections, active, revision, failing_since,
  failure, created_at, updated_at`,
);

export async function listAccounts(
  db: Queryable,
  companyId: number,
  page: { skip: number; take: number },
): Promise<{ rows: AccountRow[]; total: number }> {
  const rows = await db.query<AccountRow & { total: number }>(sql`
    select ${ACCOUNT}, count(*) over () as total from sending_accounts
    where company_id = ${companyId} order by id offset ${page.skip} limit ${page.take}`);
  return { rows, total: rows[0]?.total ?? (await countAccounts(db, companyId)) };
}

export async function countAccounts(db: Queryable, companyId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(
    sql`select count(*) as n from sending_accounts where company_id = ${companyId}`,
  );
  return rows[0]!.n;
}

export async function findAccount(
  db: Queryable,
  companyId: number,
  id: number,
  lock = false,
): Promise<AccountRow | undefined> {
  const rows = await db.query<AccountRow>(sql`
    select ${ACCOUNT} from sending_accounts where company_id = ${companyId} and id = ${id}
    ${lock ? rawSql('for update') : emptySql}`);
  return rows[0];
}

/** Serialises changes to a company's accounts until COMMIT. */
export async function lockAccounts(tx: Tx, companyId: number): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('sending accounts', ${companyId}))`);
}

/** Makes room for another account or the installation's transport: at most one account per channel is active. */
export async function deactivateAccounts(tx: Tx, companyId: number, channel: Channel, now: Date): Promise<void> {
  await tx.query(sql`
    update sending_accounts set active = false, updated_at = ${now}
    where company_id = ${companyId} and channel = ${channel} and active`);
}

export async function insertAccount(
  tx: Tx,
  companyId: number,
  account: AccountFields & Pick<AccountRow, 'provider' | 'channel'>,
  now: Date,
): Promise<AccountRow> {
  const rows = await tx.query<AccountRow>(sql`
    insert into sending_accounts (company_id, name, channel, provider, settings, sealed_secret, secret_end, rate,
      connections, active, created_at, updated_at)
    values (${companyId}, ${account.name}, ${account.channel}, ${account.provider}, ${account.settings}::jsonb,
      ${account.sealed_secret}, ${account.secret_end}, ${account.rate}, ${account.connections}, ${account.active}, ${now},
      ${now})
    returning ${ACCOUNT}`);
  return rows[0]!;
}

/** Clears the recorded failure, because the change may have fixed it. */
export async function updateAccount(
  tx: Tx,
  companyId: number,
  id: number,
  account: AccountFields,
  now: Date,
): Promise<AccountRow> {
  const rows = await tx.query<AccountRow>(sql`
    update sending_accounts set name = ${account.name}, settings = ${account.settings}::jsonb,
      sealed_secret = ${account.sealed_secret}, secret_end = ${account.secret_end}, rate = ${account.rate},
      connections = ${account.connections}, active = ${account.active}, revision = revision + 1, failing_since = null,
      failure = null, updated_at = ${now}
    where company_id = ${companyId} and id = ${id} returning ${ACCOUNT}`);
  return rows[0]!;
}

export async function deleteAccount(tx: Tx, companyId: number, id: number): Promise<AccountRow | undefined> {
  const rows = await tx.query<AccountRow>(
    sql`delete from sending_accounts where company_id = ${companyId} and id = ${id} returning ${ACCOUNT}`,
  );
  return rows[0];
}

/** Stores the service's reply while it accepts nothing, or null once it accepts messages again. Ignores an account changed meanwhile. */
export async function noteFailure(
  db: Queryable,
  companyId: number,
  { id, revision }: Pick<SealedAccount, 'id' | 'revision'>,
  failure: string | null,
  now: Date,
): Promise<void> {
  await db.query(sql`
    update sending_accounts
    set failing_since = case when ${failure}::text is null then null else coalesce(failing_since, ${now}) end,
      failure = ${failure}
    where company_id = ${companyId} and id = ${id} and revision = ${revision} and failure is distinct from ${failure}`);
}
