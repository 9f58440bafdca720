import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, sql } from '../../../db/sql.ts';
import type { PaymentAccount } from './account.ts';

export interface AccountRow extends PaymentAccount {
  name: string;
  secret_end: string | null;
  created_at: Date;
  updated_at: Date;
}

/** The columns that a change sets. */
export type AccountValues = Pick<AccountRow, 'name' | 'active' | 'publishable_key' | 'sealed_config' | 'secret_end'>;

const COLUMNS = rawSql(
  `id, provider, mode, name, active, publishable_key, sealed_config, secret_end, webhook_token, created_at, updated_at`,
);

export async function listAccounts(db: Queryable, companyId: number): Promise<AccountRow[]> {
  return db.query<AccountRow>(sql`select ${COLUMNS} from payment_accounts where company_id = ${companyId} order by id`);
}

export async function findAccount(db: Queryable, companyId: number, id: number): Promise<AccountRow | undefined> {
  const rows = await db.query<AccountRow>(sql`
    select ${COLUMNS} from payment_accounts where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

/** A payment that begins through the account waits for its deletion, not for a change. */
export async function lockAccount(
  tx: Tx,
  companyId: number,
  id: number,
  to: 'change' | 'delete',
): Promise<AccountRow | undefined> {
  const rows = await tx.query<AccountRow>(sql`
    select ${COLUMNS} from payment_accounts where company_id = ${companyId} and id = ${id}
    ${rawSql(to === 'delete' ? 'for update' : 'for no key update')}`);
  return rows[0];
}

/** Serialises the creation of a company's accounts until COMMIT. */
export async function lockAccounts(tx: Tx, companyId: number): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('payment accounts', ${companyId}))`);
}

export async function insertAccount(
  tx: Tx,
  companyId: number,
  account: AccountValues & Pick<AccountRow, 'provider' | 'mode' | 'webhook_token'>,
  now: Date,
): Promise<AccountRow> {
  const { provider, mode, name, active, publishable_key, sealed_config, secret_end, webhook_token } = account;
  const rows = await tx.query<AccountRow>(sql`
    insert into payment_accounts (company_id, provider, mode, name, active, publishable_key, sealed_config, secret_end,
      webhook_token, created_at, updated_at)
    values (${companyId}, ${provider}, ${mode}, ${name}, ${active}, ${publishable_key}, ${sealed_config}, ${secret_end},
      ${webhook_token}, ${now}, ${now})
    returning ${COLUMNS}`);
  return rows[0]!;
}

export async function updateAccount(
  tx: Tx,
  companyId: number,
  id: number,
  { name, active, publishable_key, sealed_config, secret_end }: AccountValues,
  now: Date,
): Promise<AccountRow> {
  const rows = await tx.query<AccountRow>(sql`
    update payment_accounts set name = ${name}, active = ${active}, publishable_key = ${publishable_key},
      sealed_config = ${sealed_config}, secret_end = ${secret_end}, updated_at = ${now}
    where company_id = ${companyId} and id = ${id} returning ${COLUMNS}`);
  return rows[0]!;
}

export async function deleteAccount(tx: Tx, companyId: number, id: number): Promise<void> {
  await tx.query(sql`delete from payment_accounts where company_id = ${companyId} and id = ${id}`);
}

/** Returns the ids of the payment methods of an account, and whether it has a payment. */
export async function findUse(
  tx: Tx,
  companyId: number,
  id: number,
): Promise<{ method_ids: number[]; has_payment: boolean }> {
  const rows = await tx.query<{ method_ids: number[]; has_payment: boolean }>(sql`
    select
      coalesce((
        select json_agg(m.id order by m.id) from payment_methods m
        where m.company_id = ${companyId} and m.account_id = ${id}), '[]') as method_ids,
      exists (select from payments p where p.company_id = ${companyId} and p.account_id = ${id}) as has_payment`);
  return rows[0]!;
}
