import type { Queryable, Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import { insertingOutbox } from '../../../outbox/service.ts';
import { DATE_REACHED, type DateField, type TriggerSettings } from '../definition/trigger.ts';

/** A flow that dates of contacts start, and how far they were read. */
export interface DatedFlow {
  companyId: number;
  flowId: number;
  settings: TriggerSettings;
  /** When its version was made. */
  since: Date;
  zone: string;
  /** The day that was read last, YYYY-MM-DD; null: none yet. */
  day: string | null;
  place: number | null;
}

/** Paused flows too: they note what they miss. */
const DATED = rawSql(`
  select f.company_id as "companyId", f.id as "flowId", v.definition -> 'trigger_settings' as settings, v.created_at as since,
    c.time_zone as zone, s.day::text as day, s.place
  from flows f
  join flow_versions v on v.company_id = f.company_id and v.flow_id = f.id and v.version = f.version
  join companies c on c.company_id = f.company_id
  left join flow_date_scans s on s.company_id = f.company_id and s.flow_id = f.id
  where f.status in ('active', 'paused') and f.deleted_at is null and v.trigger_type = '${DATE_REACHED}'`);

/** Of all companies. */
export function findDatedFlows(db: Queryable): Promise<DatedFlow[]> {
  return db.query<DatedFlow>(sql`${DATED} order by f.company_id, f.id`);
}

/** Locks the flow's progress; undefined where another process has, or the flow is not started by dates any more. */
export async function lockDatedFlow(
  tx: Tx,
  companyId: number,
  flowId: number,
  firstDay: string,
): Promise<(DatedFlow & { day: string }) | undefined> {
  await tx.query(sql`
    insert into flow_date_scans (company_id, flow_id, day) values (${companyId}, ${flowId}, ${firstDay}::date)
    on conflict do nothing`);
  const locked = await tx.query(sql`
    select from flow_date_scans where company_id = ${companyId} and flow_id = ${flowId} for update skip locked`);
  if (locked.length === 0) return undefined;
  const rows = await tx.query<DatedFlow & { day: string }>(
    sql`${DATED} and f.company_id = ${companyId} and f.id = ${flowId}`,
  );
  return rows[0];
}

export interface DateScan {
  flowId: number;
  name: string;
  field: DateField;
  /** The day being read. */
  day: string;
  /** The date that contacts must have. */
  date: string;
  yearly: boolean;
  days: number;
  zone: string;
  after: number;
  limit: number;
}

/** Writes events for those of the next contacts that have the date, and notes how far they were read. Returns false at the end. */
export async function raiseNext(tx: Tx, companyId: number, scan: DateScan, now: Date): Promise<boolean> {
  const { flowId, date, limit } = scan;
  const announced = insertingOutbox(
    companyId,
    DATE_REACHED,
    sql`
      select jsonb_build_object('contact_id', r.id, 'flow_id', ${flowId}::bigint, 'date_field', ${scan.name}::text,
        'date', ${date}::text, 'days', ${scan.days}::int, 'years', ${date.slice(0, 4)}::int - left(r.value, 4)::int),
        ${now}::timestamptz
      from reached r order by r.id`,
  );
  const rows = await tx.query<{ more: boolean }>(sql`
    with next_contacts as materialized (
      select c.id, ${dateValue(scan)} as value
      from contacts c ${scan.field.of === 'custom' ? JOIN_CUSTOMER : emptySql}
      where c.company_id = ${companyId} and c.id > ${scan.after} order by c.id limit ${limit}
    ), reached as (
      select n.id, n.value from next_contacts n
      where ${fits(scan)}
        -- Where the settings of the trigger changed, the event may have been written on another day.
        and not exists (
          select from events e
          where e.company_id = ${companyId} and e.contact_id = n.id and e.event_type = ${DATE_REACHED}
            and e.received_at > ${now}::timestamptz - interval '400 days'
            and e.data @> jsonb_build_object('flow_id', ${flowId}::bigint, 'date', ${date}::text))
    ), announced as (${announced})
    update flow_date_scans
    set day = ${scan.day}::date, place = case when n.read = ${limit} then n.last end
    from (select count(*) as read, max(id) as last from next_contacts) n
    where company_id = ${companyId} and flow_id = ${flowId}
    returning place is not null as more`);
  return rows[0]!.more;
}

/** A contact with the id of a customer as its external id is that customer. */
const JOIN_CUSTOMER = rawSql(`
  left join customers u on u.company_id = c.company_id and u.erased_at is null
    and u.id = case when c.external_id ~ '^[1-9][0-9]{0,17}$' then c.external_id::bigint end`);

function dateValue({ field, zone }: DateScan): Statement {
  switch (field.of) {
    case 'properties':
      return sql`c.properties #>> ${field.path}::text[]`;
    case 'custom':
      return sql`u.custom ->> ${field.key}::text`;
    case 'contact':
      return sql`to_char(c.created_at at time zone ${zone}, 'YYYY-MM-DD')`;
  }
}

/** Compares texts, so that no value can fail. */
function fits({ date, yearly }: DateScan): Statement {
  const isDate = sql`n.value ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}($|[T ])'`;
  if (!yearly) return sql`${isDate} and left(n.value, 10) = ${date}`;
  return sql`
    ${isDate} and substr(n.value, 6, 5) = any(${anniversariesOn(date)}::text[]) and left(n.value, 4) <= ${date.slice(0, 4)}`;
}

/** The days of a year, MM-DD, whose anniversary is on the date. */
function anniversariesOn(date: string): string[] {
  const [year, day] = [Number(date.slice(0, 4)), date.slice(5)];
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day === '02-28' && !isLeap ? [day, '02-29'] : [day];
}
