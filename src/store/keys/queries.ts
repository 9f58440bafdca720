import type { Queryable, Tx } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';

export interface StoreKeyRow {
  company_id: number;
  id: number;
  key: string;
  name: string;
  origins: string[];
  location_id: number | null;
  created_at: Date;
  revoked_at: Date | null;
}

export type StoreKeyValues = Pick<StoreKeyRow, 'name' | 'origins' | 'location_id'>;

const COLUMNS = rawSql('k.company_id, k.id, k.key, k.name, k.origins, k.location_id, k.created_at, k.revoked_at');

/**
 * Returns the key with this text, of any company. Includes the version of the company's configuration from the same snapshot, so that a
 * change committed a moment later is noticed.
 */
export async function findStoreKeyByText(
  db: Queryable,
  key: string,
): Promise<(StoreKeyRow & { version: number }) | undefined> {
  const rows = await db.query<StoreKeyRow & { version: number }>(sql`
    select ${COLUMNS}, coalesce(v.version, 0) as version
    from store_keys k left join company_versions v on v.company_id = k.company_id
    where k.key = ${key}`);
  return rows[0];
}

export async function listStoreKeys(db: Queryable, companyId: number): Promise<StoreKeyRow[]> {
  return db.query<StoreKeyRow>(
    sql`select ${COLUMNS} from store_keys k where k.company_id = ${companyId} order by k.id`,
  );
}

export async function findStoreKey(db: Queryable, companyId: number, id: number): Promise<StoreKeyRow | undefined> {
  const rows = await db.query<StoreKeyRow>(sql`
    select ${COLUMNS} from store_keys k where k.company_id = ${companyId} and k.id = ${id}`);
  return rows[0];
}

export async function lockStoreKey(tx: Tx, companyId: number, id: number): Promise<StoreKeyRow | undefined> {
  const rows = await tx.query<StoreKeyRow>(sql`
    select ${COLUMNS} from store_keys k where k.company_id = ${companyId} and k.id = ${id} for no key update`);
  return rows[0];
}

export async function insertStoreKey(
  tx: Tx,
  companyId: number,
  values: StoreKeyValues & { key: string },
  now: Date,
): Promise<StoreKeyRow> {
  const rows = await tx.query<StoreKeyRow>(sql`
    insert into store_keys as k (company_id, key, name, origins, location_id, created_at)
    values (${companyId}, ${values.key}, ${values.name}, ${values.origins}, ${values.location_id}, ${now})
    returning ${COLUMNS}`);
  return rows[0]!;
}

export async function updateStoreKey(
  tx: Tx,
  companyId: number,
  id: number,
  values: StoreKeyValues,
): Promise<StoreKeyRow> {
  const rows = await tx.query<StoreKeyRow>(sql`
    update store_keys k set name = ${values.name}, origins = ${values.origins}, location_id = ${values.location_id}
    where k.company_id = ${companyId} and k.id = ${id} returning ${COLUMNS}`);
  return rows[0]!;
}

/** A key that was revoked before keeps its time. */
export async function revokeStoreKey(
  tx: Tx,
  companyId: number,
  id: number,
  now: Date,
): Promise<StoreKeyRow | undefined> {
  const rows = await tx.query<StoreKeyRow>(sql`
    update store_keys k set revoked_at = coalesce(k.revoked_at, ${now})
    where k.company_id = ${companyId} and k.id = ${id} returning ${COLUMNS}`);
  return rows[0];
}
