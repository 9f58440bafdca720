import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, sql } from '../../../db/sql.ts';

export interface LocationRow {
  id: number;
  name: string;
  main: boolean;
  online: boolean;
  active: boolean;
  position: number;
  address: string | null;
  city: string | null;
  zip: string | null;
  state: string | null;
  country: string | null;
  created_at: Date;
}

export type LocationValues = Omit<LocationRow, 'id' | 'main' | 'created_at'>;

const COLUMNS = rawSql('id, name, main, online, active, position, address, city, zip, state, country, created_at');

export async function listLocations(db: Queryable, companyId: number): Promise<LocationRow[]> {
  return db.query<LocationRow>(sql`
    select ${COLUMNS} from locations where company_id = ${companyId} order by position, id`);
}

export async function findLocation(db: Queryable, companyId: number, id: number): Promise<LocationRow | undefined> {
  const rows = await db.query<LocationRow>(sql`
    select ${COLUMNS} from locations where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

/** Waits for everyone who adds stock to the location (`holdLocations`). */
export async function lockLocation(tx: Tx, companyId: number, id: number): Promise<LocationRow | undefined> {
  const rows = await tx.query<LocationRow>(sql`
    select ${COLUMNS} from locations where company_id = ${companyId} and id = ${id} for update`);
  return rows[0];
}

/** Until COMMIT, no other location is created. */
export async function lockMainLocation(tx: Tx, companyId: number): Promise<void> {
  await tx.query(sql`select from locations where company_id = ${companyId} and main for update`);
}

/**
 * Returns those of the locations that are active, none of which is closed or changes its `online` before COMMIT. Taken before the stock is
 * locked.
 */
export async function holdLocations(tx: Tx, companyId: number, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx.query<{ id: number; active: boolean }>(sql`
    select id, active from locations
    where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) order by id for share`);
  return new Set(rows.filter(({ active }) => active).map(({ id }) => id));
}

export async function insertLocation(tx: Tx, companyId: number, row: LocationValues, now: Date): Promise<LocationRow> {
  const rows = await tx.query<LocationRow>(sql`
    insert into locations (company_id, name, online, active, position, address, city, zip, state, country, created_at)
    values (${companyId}, ${row.name}, ${row.online}, ${row.active}, ${row.position}, ${row.address}, ${row.city}, ${row.zip},
      ${row.state}, ${row.country}, ${now})
    returning ${COLUMNS}`);
  return rows[0]!;
}

export async function updateLocation(tx: Tx, companyId: number, id: number, row: LocationValues): Promise<LocationRow> {
  const rows = await tx.query<LocationRow>(sql`
    update locations set name = ${row.name}, online = ${row.online}, active = ${row.active}, position = ${row.position},
      address = ${row.address}, city = ${row.city}, zip = ${row.zip}, state = ${row.state}, country = ${row.country}
    where company_id = ${companyId} and id = ${id}
    returning ${COLUMNS}`);
  return rows[0]!;
}

/**
 * Whether the location has no stock, reservation or open transfer. One statement, so that units that a transaction moves from one of these
 * to another are seen in one of them.
 */
export async function isEmpty(tx: Tx, companyId: number, id: number): Promise<boolean> {
  const rows = await tx.query<{ empty: boolean }>(sql`
    select not exists (
      select from stock_levels where company_id = ${companyId} and location_id = ${id} and available > 0
    ) and not exists (
      select from reservation_items where company_id = ${companyId} and location_id = ${id}
    ) and not exists (
      select from stock_transfers
      where company_id = ${companyId} and status in ('draft', 'in_transit') and ${id} in (from_location_id, to_location_id)
    ) as empty`);
  return rows[0]!.empty;
}
