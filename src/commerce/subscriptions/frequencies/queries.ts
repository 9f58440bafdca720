import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, sql } from '../../../db/sql.ts';
import type { ScheduleUnit } from '../schedule.ts';

export interface FrequencyRow {
  id: number;
  name: string;
  unit: ScheduleUnit;
  interval: number;
  active: boolean;
  position: number;
}

const COLUMNS = rawSql('id, name, unit, interval, active, position');

export async function listFrequencies(db: Queryable, companyId: number): Promise<FrequencyRow[]> {
  return db.query<FrequencyRow>(sql`
    select ${COLUMNS} from subscription_frequencies where company_id = ${companyId} order by position, id`);
}

export async function findFrequency(db: Queryable, companyId: number, id: number): Promise<FrequencyRow | undefined> {
  const rows = await db.query<FrequencyRow>(sql`
    select ${COLUMNS} from subscription_frequencies where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

/** Prevents the frequency's deletion until COMMIT; subscriptions that use it do not wait for each other. */
export async function holdFrequency(tx: Tx, companyId: number, id: number): Promise<FrequencyRow | undefined> {
  const rows = await tx.query<FrequencyRow>(sql`
    select ${COLUMNS} from subscription_frequencies where company_id = ${companyId} and id = ${id} for key share`);
  return rows[0];
}

export async function lockFrequency(tx: Tx, companyId: number, id: number): Promise<FrequencyRow | undefined> {
  const rows = await tx.query<FrequencyRow>(sql`
    select ${COLUMNS} from subscription_frequencies where company_id = ${companyId} and id = ${id} for no key update`);
  return rows[0];
}

export async function insertFrequency(
  tx: Tx,
  companyId: number,
  values: Omit<FrequencyRow, 'id'>,
): Promise<FrequencyRow> {
  const { name, unit, interval, active, position } = values;
  const rows = await tx.query<FrequencyRow>(sql`
    insert into subscription_frequencies (company_id, id, name, unit, interval, active, position)
    values (${companyId}, nextval('subscription_frequency_ids'), ${name}, ${unit}, ${interval}, ${active}, ${position}) returning ${COLUMNS}`);
  return rows[0]!;
}

/** Unit and interval cannot change, because the dates of subscriptions are counted by them. */
export async function updateFrequency(tx: Tx, companyId: number, row: FrequencyRow): Promise<FrequencyRow> {
  const rows = await tx.query<FrequencyRow>(sql`
    update subscription_frequencies set name = ${row.name}, active = ${row.active}, position = ${row.position}
    where company_id = ${companyId} and id = ${row.id} returning ${COLUMNS}`);
  return rows[0]!;
}

export async function deleteFrequency(tx: Tx, companyId: number, id: number): Promise<FrequencyRow | undefined> {
  const rows = await tx.query<FrequencyRow>(sql`
    delete from subscription_frequencies where company_id = ${companyId} and id = ${id} returning ${COLUMNS}`);
  return rows[0];
}
