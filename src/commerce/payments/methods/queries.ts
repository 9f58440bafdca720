import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, sql } from '../../../db/sql.ts';
import { languageOf } from '../../../lib/countries.ts';
import type { PaymentAccount } from '../accounts/account.ts';
import { IMPORTED_KIND, type PaymentMethod } from './method.ts';

export type MethodValues = Omit<PaymentMethod, 'id'>;

export interface MethodRow extends PaymentMethod {
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = rawSql(
  `id, provider, kind, name, description, instructions, account_id, position, active, staff_only, places, reserve_minutes, capture,
   min_total, max_total, created_at, updated_at`,
);

/** The last position. */
const LAST = 1_000_000;

/** By position. */
export async function listMethods(db: Queryable, companyId: number): Promise<MethodRow[]> {
  return db.query<MethodRow>(sql`
    select ${COLUMNS} from payment_methods where company_id = ${companyId} order by position, id`);
}

export async function findMethod(db: Queryable, companyId: number, id: number): Promise<MethodRow | undefined> {
  const rows = await db.query<MethodRow>(sql`
    select ${COLUMNS} from payment_methods where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

export async function lockMethod(tx: Tx, companyId: number, id: number): Promise<MethodRow | undefined> {
  const rows = await tx.query<MethodRow>(sql`
    select ${COLUMNS} from payment_methods where company_id = ${companyId} and id = ${id} for update`);
  return rows[0];
}

export async function insertMethod(tx: Tx, companyId: number, method: MethodValues, now: Date): Promise<MethodRow> {
  const rows = await tx.query<MethodRow>(sql`
    insert into payment_methods (company_id, provider, kind, name, description, instructions, account_id, position, active,
      staff_only, places, reserve_minutes, capture, min_total, max_total, created_at, updated_at)
    values (${companyId}, ${method.provider}, ${method.kind}, ${method.name}, ${method.description}, ${method.instructions},
      ${method.account_id}, ${method.position}, ${method.active}, ${method.staff_only}, ${method.places},
      ${method.reserve_minutes}, ${method.capture}, ${method.min_total}, ${method.max_total}, ${now}, ${now})
    returning ${COLUMNS}`);
  return rows[0]!;
}

export async function updateMethod(
  tx: Tx,
  companyId: number,
  id: number,
  method: MethodValues,
  now: Date,
): Promise<MethodRow> {
  const rows = await tx.query<MethodRow>(sql`
    update payment_methods set kind = ${method.kind}, name = ${method.name}, description = ${method.description},
      instructions = ${method.instructions}, account_id = ${method.account_id}, position = ${method.position}, active = ${method.active},
      staff_only = ${method.staff_only}, places = ${method.places}, reserve_minutes = ${method.reserve_minutes},
      capture = ${method.capture}, min_total = ${method.min_total}, max_total = ${method.max_total}, updated_at = ${now}
    where company_id = ${companyId} and id = ${id}
    returning ${COLUMNS}`);
  return rows[0]!;
}

/** Returns the method of imported payments; undefined before the first. */
export async function findImportedMethod(db: Queryable, companyId: number): Promise<MethodRow | undefined> {
  const rows = await db.query<MethodRow>(sql`
    select ${COLUMNS} from payment_methods where company_id = ${companyId} and kind = ${IMPORTED_KIND}`);
  return rows[0];
}

/** Buyers see it as well, so it is in the language of the shop's country, as the texts that a new company gets. */
const IMPORTED_NAMES = { en: 'Imported', de: 'Importiert' };

/** Returns the method of imported payments, which the first of them creates: inactive, so that nobody can choose it. */
export async function importedMethod(
  tx: Tx,
  { companyId, country }: { companyId: number; country: string },
  now: Date,
): Promise<MethodRow> {
  const kept = await findImportedMethod(tx, companyId);
  if (kept !== undefined) return kept;
  // Another import may create it at the same time.
  await tx.query(sql`
    insert into payment_methods (company_id, provider, kind, name, position, active, staff_only, places, reserve_minutes, capture,
      created_at, updated_at)
    values (${companyId}, 'manual', ${IMPORTED_KIND}, ${IMPORTED_NAMES[languageOf(country)]}, ${LAST}, false, true, 'at_once', 10080, 'at_once', ${now}, ${now})
    on conflict do nothing`);
  return (await findImportedMethod(tx, companyId))!;
}

/** Returns the account, which cannot be deleted until COMMIT. */
export async function holdAccount(
  tx: Tx,
  companyId: number,
  id: number,
): Promise<Pick<PaymentAccount, 'provider' | 'active'> | undefined> {
  const rows = await tx.query<Pick<PaymentAccount, 'provider' | 'active'>>(sql`
    select provider, active from payment_accounts where company_id = ${companyId} and id = ${id} for share`);
  return rows[0];
}
