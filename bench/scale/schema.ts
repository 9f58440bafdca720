import type pg from 'pg';
import type { Lane } from './lanes.ts';

/** Triggers that write a row for each row: their rows are copied instead (totals.ts). */
const ROW_BY_ROW = [
  ['contacts', 'activity_inserted'],
  ['customers', 'figures_inserted'],
  ['orders', 'figures_placed'],
  ['orders', 'sales_inserted'],
] as const;
/** Keys whose order is not that of the rows. For others, appending costs no more than building them at the end. */
const UNORDERED_KEYS = ['stock_movements_pkey', 'messages_company_id_idem_key_key'];

interface Part {
  table: string;
  name: string;
  definition: string;
}

/** What was dropped from tables, to be created again. */
export interface Stripped {
  keys: Part[];
  indexes: Part[];
  references: Part[];
}

/** Drops foreign keys, indexes other than keys, and some triggers. For a database of its own: it locks the tables. */
export async function stripTables(client: pg.ClientBase, tables: readonly string[]): Promise<Stripped> {
  const constraints = async (condition: string, values: unknown[]): Promise<Part[]> => {
    const { rows } = await client.query<Part>(
      `select c.conrelid::regclass::text as table, c.conname as name, pg_get_constraintdef(c.oid) as definition
       from pg_constraint c join pg_class t on t.oid = c.conrelid
       where t.relnamespace = 'public'::regnamespace and t.relname = any($1) and ${condition} order by 1, 2`,
      [tables, ...values],
    );
    return rows;
  };
  const references = await constraints("c.contype = 'f'", []);
  const keys = await constraints('c.conname = any($2)', [UNORDERED_KEYS]);
  const { rows: indexes } = await client.query<Part>(
    `select t.relname as table, i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class t on t.oid = i.indrelid
     where t.relnamespace = 'public'::regnamespace and t.relname = any($1)
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
     order by 1, 2`,
    [tables],
  );
  for (const { table, name } of [...references, ...keys])
    await client.query(`alter table ${table} drop constraint ${name}`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  for (const [table, trigger] of ROW_BY_ROW) await client.query(`alter table ${table} disable trigger ${trigger}`);
  return { keys, indexes, references };
}

/** Creates keys and indexes of a table again; of a partition, those that its parent will have. */
export async function indexTable(
  { client, measure }: Lane,
  { keys, indexes }: Stripped,
  table: string,
  partition?: string,
): Promise<void> {
  for (const { name, definition } of keys.filter((key) => key.table === table)) {
    await measure(name, () => run(client, `alter table ${table} add constraint ${name} ${definition}`), 'index');
  }
  for (const { name, definition } of indexes.filter((index) => index.table === table)) {
    // A parent finds matching indexes of its partitions and attaches them. Its definition says `on only`.
    const statement =
      partition === undefined
        ? definition.replace(/ ON ONLY /, ' ON ')
        : definition.replace(/ INDEX \S+ ON ONLY \S+ /, ` INDEX ON ${partition} `);
    await measure(name, () => run(client, statement), 'index');
  }
}

/** Restores foreign keys and triggers. */
export async function completeTables({ client, measure }: Lane, { references }: Stripped): Promise<void> {
  for (const { table, name, definition } of references) {
    await measure(name, () => run(client, `alter table ${table} add constraint ${name} ${definition}`), 'check');
  }
  for (const [table, trigger] of ROW_BY_ROW) await client.query(`alter table ${table} enable trigger ${trigger}`);
}

async function run(client: pg.ClientBase, statement: string): Promise<number> {
  await client.query(statement);
  return 0;
}
