import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, sql } from '../../../db/sql.ts';
import type { PageBounds } from '../../../lib/paging.ts';

export interface ZoneValues {
  name: string;
  position: number;
  countries: string[];
  states: string[];
  zip_patterns: string[];
}

export type ZoneRow = ZoneValues & { id: number; created_at: Date; updated_at: Date };

const zoneColumns = rawSql('id, name, position, countries, states, zip_patterns, created_at, updated_at');

export async function countZones(db: Queryable, companyId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from shipping_zones where company_id = ${companyId}`);
  return rows[0]!.n;
}

export async function listZones(db: Queryable, companyId: number, page: PageBounds): Promise<ZoneRow[]> {
  return db.query<ZoneRow>(sql`
    select ${zoneColumns} from shipping_zones where company_id = ${companyId}
    order by position, id offset ${page.skip} limit ${page.take}`);
}

export async function findZone(db: Queryable, companyId: number, id: number): Promise<ZoneRow | undefined> {
  const rows = await db.query<ZoneRow>(sql`
    select ${zoneColumns} from shipping_zones where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

export async function lockZone(tx: Tx, companyId: number, id: number): Promise<ZoneRow | undefined> {
  const rows = await tx.query<ZoneRow>(sql`
    select ${zoneColumns} from shipping_zones where company_id = ${companyId} and id = ${id} for update`);
  return rows[0];
}

export async function insertZone(tx: Tx, companyId: number, zone: ZoneValues, now: Date): Promise<ZoneRow> {
  const rows = await tx.query<ZoneRow>(sql`
    insert into shipping_zones (company_id, name, position, countries, states, zip_patterns, created_at, updated_at)
    values (${companyId}, ${zone.name}, ${zone.position}, ${zone.countries}, ${zone.states}, ${zone.zip_patterns},
      ${now}, ${now})
    returning ${zoneColumns}`);
  return rows[0]!;
}

export async function updateZone(tx: Tx, companyId: number, id: number, zone: ZoneValues, now: Date): Promise<ZoneRow> {
  const rows = await tx.query<ZoneRow>(sql`
    update shipping_zones set name = ${zone.name}, position = ${zone.position}, countries = ${zone.countries},
      states = ${zone.states}, zip_patterns = ${zone.zip_patterns}, updated_at = ${now}
    where company_id = ${companyId} and id = ${id}
    returning ${zoneColumns}`);
  return rows[0]!;
}

/** The foreign key deletes the zone's methods. */
export async function deleteZone(tx: Tx, companyId: number, id: number): Promise<ZoneRow | undefined> {
  const rows = await tx.query<ZoneRow>(sql`
    delete from shipping_zones where company_id = ${companyId} and id = ${id} returning ${zoneColumns}`);
  return rows[0];
}
