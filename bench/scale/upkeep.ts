import type pg from 'pg';
import type { Measure } from './measure.ts';

/** Tables whose indexes are made once all rows are there, where many are copied at once. */
const TABLES = [
  'customers',
  'contacts',
  'orders',
  'events',
  'messages',
  'message_activity',
  'flow_runs',
  'contact_activity',
];
/** What the triggers of these tables read while rows are copied. */
const KEPT = ['orders_customer'];

/** Does the work on tables that have no indexes but their keys, and makes them again. A database of its own: it locks the tables. */
export async function withoutIndexes(
  client: pg.ClientBase,
  measure: Measure,
  work: () => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class t on t.oid = i.indrelid
     where t.relnamespace = 'public'::regnamespace and t.relname = any($1) and not i.indexrelid::regclass::text = any($2)
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
     order by 1`,
    [TABLES, KEPT],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await work();
  await client.query("set maintenance_work_mem = '1GB'");
  // Of a partitioned table the definition says `on only`.
  for (const { name, definition } of rows) {
    await measure(`index ${name}`, async () => {
      await client.query(definition.replace(/ ON ONLY /, ' ON '));
      return 0;
    });
  }
}

/**
 * Adds all events up in one statement, as `add_up_events` does it month by month: where nothing has been added up yet, no row of a month
 * before has to be found and changed.
 */
export async function addUpAtOnce(client: pg.ClientBase, measure: Measure, now: Date): Promise<void> {
  await client.query("set work_mem = '512MB'");
  await measure('event_totals', async () => {
    const { rowCount } = await client.query(
      `with state as (
         update event_totals_state set added_up_to = date_trunc('day', least($1::timestamptz, now()) - interval '24 hours', 'UTC')
         where added_up_to is null returning added_up_to
       )
       insert into event_totals (company_id, event_type, contact_id, n, amount, first_at, last_at)
       select company_id, event_type, contact_id, count(*), coalesce(sum(amount), 0), min(occurred_at), max(occurred_at)
       from events where received_at < (select added_up_to from state) group by 1, 2, 3`,
      [now],
    );
    return rowCount ?? 0;
  });
}

/** What the workers would have done in the meantime: kept totals are folded, events added up. */
export async function keepUp(client: pg.ClientBase, measure: Measure, now: Date): Promise<void> {
  const repeat = (
    name: string,
    statement: string,
    values: unknown[],
    goesOn: (row: Record<string, unknown>) => boolean,
  ) =>
    measure(name, async () => {
      for (;;) {
        const { rows } = await client.query<Record<string, unknown>>(statement, values);
        if (!goesOn(rows[0]!)) return 0;
      }
    });
  const folded = ({ n }: Record<string, unknown>): boolean => Number(n) > 0;
  await repeat('fold list_counts', 'select fold_list_counts($1) as n', [1_000_000], folded);
  await repeat('fold customer_figures', 'select fold_customer_figures($1) as n', [1_000_000], folded);
  await repeat('fold sales_totals', 'select fold_sales($1) as n', [1_000_000], folded);
  await repeat('add up event_totals', 'select add_up_events($1) as more', [now], ({ more }) => more === true);
}
