import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { ScheduleUnit } from './schedule.ts';

export interface FrequencyRow {
  id: number;
  name: string;
  unit: ScheduleUnit;
  interval: number;
  active: boolean;
  position: number;
}

export async function listFrequencies(db: Queryable, companyId: number): Promise<FrequencyRow[]> {
  return db.query<FrequencyRow>(sql`
    select id, name, unit, interval, active, position from subscription_frequencies
    where company_id = ${companyId} order by position, id`);
}
