import type { Queryable, Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../../db/sql.ts';
import type { PageBounds } from '../../../lib/paging.ts';
import type { ShippingRate } from '../match.ts';

export type MethodValues = ShippingRate & { zone_id: number; name: string; position: number; active: boolean };

export type MethodRow = MethodValues & { id: number; created_at: Date; updated_at: Date };

const methodColumns = rawSql('id, zone_id, name, position, type, config, active, created_at, updated_at');

export async function countMethods(db: Queryable, companyId: number, zoneId?: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from shipping_methods where company_id = ${companyId} ${ofZone(zoneId)}`);
  return rows[0]!.n;
}

export async function listMethods(
  db: Queryable,
  companyId: number,
  zoneId: number | undefined,
  page: PageBounds,
): Promise<MethodRow[]> {
  return db.query<MethodRow>(sql`
    select ${methodColumns} from shipping_methods where company_id = ${companyId} ${ofZone(zoneId)}
    order by position, id offset ${page.skip} limit ${page.take}`);
}

function ofZone(zoneId: number | undefined) {
  return zoneId === undefined ? emptySql : sql`and zone_id = ${zoneId}`;
}

export async function findMethod(db: Queryable, companyId: number, id: number): Promise<MethodRow | undefined> {
  const rows = await db.query<MethodRow>(sql`
    select ${methodColumns} from shipping_methods where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

export async function lockMethod(tx: Tx, companyId: number, id: number): Promise<MethodRow | undefined> {
  const rows = await tx.query<MethodRow>(sql`
    select ${methodColumns} from shipping_methods where company_id = ${companyId} and id = ${id} for update`);
  return rows[0];
}

export async function insertMethod(tx: Tx, companyId: number, method: MethodValues, now: Date): Promise<MethodRow> {
  const rows = await tx.query<MethodRow>(sql`
    insert into shipping_methods (company_id, zone_id, name, position, type, config, active, created_at, updated_at)
    values (${companyId}, ${method.zone_id}, ${method.name}, ${method.position}, ${method.type}, ${method.config},
      ${method.active}, ${now}, ${now})
    returning ${methodColumns}`);
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
    update shipping_methods set zone_id = ${method.zone_id}, name = ${method.name}, position = ${method.position},
      type = ${method.type}, config = ${method.config}, active = ${method.active}, updated_at = ${now}
    where company_id = ${companyId} and id = ${id}
    returning ${methodColumns}`);
  return rows[0]!;
}

export async function deleteMethod(tx: Tx, companyId: number, id: number): Promise<MethodRow | undefined> {
  const rows = await tx.query<MethodRow>(sql`
    delete from shipping_methods where company_id = ${companyId} and id = ${id} returning ${methodColumns}`);
  return rows[0];
}
