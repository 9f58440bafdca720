import type pg from 'pg';
import type { Measure } from './measure.ts';

/** Does what the workers would have done in the meantime: folds counters, sums up events. */
export async function keepUp(client: pg.ClientBase, measure: Measure, now: Date): Promise<void> {
  const repeat = (
    name: string,
    statement: string,
    values: unknown[],
    goesOn: (row: Record<string, unknown>) => boolean,
  ) =>
    measure(
      name,
      async () => {
        for (;;) {
          const { rows } = await client.query<Record<string, unknown>>(statement, values);
          if (!goesOn(rows[0]!)) return 0;
        }
      },
      'totals',
    );
  const folded = ({ n }: Record<string, unknown>): boolean => Number(n) > 0;
  await repeat('fold counters', "select fold_deltas('counter', $1) as n", [1_000_000], folded);
  await repeat('fold customer_figures', 'select fold_customer_figures($1) as n', [1_000_000], folded);
  await repeat('fold sales_totals', "select fold_deltas('sales', $1) as n", [1_000_000], folded);
  await repeat('add up event_totals', 'select add_up_events($1) as more', [now], ({ more }) => more === true);
}

/** Vacuums the tables that are not among these, and analyses all events together. PostgreSQL 18. */
export async function vacuumOthers(client: pg.ClientBase, measure: Measure, done: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and not c.relname = any($1)
       and not exists (select from pg_inherits i where i.inhrelid = c.oid)`,
    [done],
  );
  await measure(
    'others',
    async () => {
      await client.query(`vacuum (analyze) ${rows.map(({ name }) => name).join(', ')}`);
      await client.query('analyze only events');
      return 0;
    },
    'vacuum',
  );
}
