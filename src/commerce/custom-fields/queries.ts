import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { CustomField, CustomFieldOwner } from './definition.ts';

export type FieldValues = Omit<CustomField, 'id'>;
export type FieldRow = CustomField & { created_at: Date; updated_at: Date };

const COLUMNS = rawSql(
  'f.id, f."on", f.key, f.name, f.type, f.list, f.required, f.rules, f.visible, f.filterable, f.position, f.created_at, f.updated_at',
);

/** The records that fields of each kind belong to: their table, a condition over it, and the beginning of its updates. */
export const RECORDS: Record<CustomFieldOwner, { table: Statement; condition: Statement; update: Statement }> = {
  product: {
    table: rawSql('products'),
    condition: rawSql('variant_of is null'),
    update: rawSql('update products r'),
  },
  variant: {
    table: rawSql('products'),
    condition: rawSql('variant_of is not null'),
    update: rawSql('update products r'),
  },
  collection: { table: rawSql('collections'), condition: rawSql('true'), update: rawSql('update collections r') },
  customer: { table: rawSql('customers'), condition: rawSql('true'), update: rawSql('update customers r') },
  order: { table: rawSql('orders'), condition: rawSql('true'), update: rawSql('update orders r') },
};

/** Waits for all transactions that store values. */
export async function lockDefinitions(tx: Tx, companyId: number): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('custom fields', ${companyId}))`);
}

const wanted = (companyId: number, on: CustomFieldOwner | undefined): Statement => sql`
  f.company_id = ${companyId} and not f.deleted ${on === undefined ? emptySql : sql`and f."on" = ${on}`}`;

export async function countFields(
  db: Queryable,
  companyId: number,
  on: CustomFieldOwner | undefined,
): Promise<{ n: number; last: number }> {
  const rows = await db.query<{ n: number; last: number }>(sql`
    select count(*)::int as n, coalesce(max(f.position), 0) as last from custom_fields f where ${wanted(companyId, on)}`);
  return rows[0]!;
}

/** By position. */
export async function listFields(
  db: Queryable,
  companyId: number,
  on: CustomFieldOwner | undefined,
  page: PageBounds,
): Promise<FieldRow[]> {
  return db.query<FieldRow>(sql`
    select ${COLUMNS} from custom_fields f where ${wanted(companyId, on)}
    order by f.position, f.id offset ${page.skip} limit ${page.take}`);
}

export async function findField(db: Queryable, companyId: number, id: number): Promise<FieldRow | undefined> {
  const rows = await db.query<FieldRow>(sql`
    select ${COLUMNS} from custom_fields f where ${wanted(companyId, undefined)} and f.id = ${id}`);
  return rows[0];
}

export async function insertField(tx: Tx, companyId: number, field: FieldValues, now: Date): Promise<FieldRow> {
  const rows = await tx.query<FieldRow>(sql`
    insert into custom_fields as f (company_id, "on", key, name, type, list, required, rules, visible, filterable, position, created_at,
      updated_at)
    values (${companyId}, ${field.on}, ${field.key}, ${field.name}, ${field.type}, ${field.list}, ${field.required},
      ${JSON.stringify(field.rules)}::jsonb, ${field.visible}, ${field.filterable}, ${field.position}, ${now}, ${now})
    returning ${COLUMNS}`);
  return rows[0]!;
}

export async function updateField(
  tx: Tx,
  companyId: number,
  id: number,
  field: FieldValues,
  now: Date,
): Promise<FieldRow> {
  const rows = await tx.query<FieldRow>(sql`
    update custom_fields f set name = ${field.name}, type = ${field.type}, list = ${field.list}, required = ${field.required},
      rules = ${JSON.stringify(field.rules)}::jsonb, visible = ${field.visible}, filterable = ${field.filterable},
      position = ${field.position}, updated_at = ${now}
    where f.company_id = ${companyId} and f.id = ${id}
    returning ${COLUMNS}`);
  return rows[0]!;
}

/** Marks a definition as deleted: its values are removed later. */
export async function markDeleted(tx: Tx, companyId: number, id: number): Promise<FieldRow | undefined> {
  const rows = await tx.query<FieldRow>(sql`
    update custom_fields f set deleted = true where ${wanted(companyId, undefined)} and f.id = ${id} returning ${COLUMNS}`);
  return rows[0];
}

/** Values of a field that are read at once. */
const AT_ONCE = 5_000;

/** Yields the values that are stored for a field, in pages. */
export async function* walkValues(
  db: Queryable,
  companyId: number,
  { on, key }: Pick<CustomField, 'on' | 'key'>,
): AsyncGenerator<{ id: number; value: unknown }[]> {
  const { table, condition } = RECORDS[on];
  let after = 0;
  for (;;) {
    const rows = await db.query<{ id: number; value: unknown }>(sql`
      select id, custom -> ${key}::text as value from ${table}
      where company_id = ${companyId} and ${condition} and custom <> '{}' and custom ? ${key}::text and id > ${after}
      order by id limit ${AT_ONCE}`);
    if (rows.length > 0) yield rows;
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)!.id;
  }
}

export interface DeletedField {
  company_id: number;
  id: number;
  on: CustomFieldOwner;
  key: string;
}

/** Returns deleted fields whose values are not all removed: the first of each company, then the second of each. */
export async function findDeleted(db: Queryable, limit: number): Promise<DeletedField[]> {
  return db.query<DeletedField>(sql`
    select company_id, id, "on", key from (
      select f.company_id, f.id, f."on", f.key, row_number() over (partition by f.company_id order by f.id) as place
      from custom_fields f where f.deleted
    ) deleted
    order by place, company_id limit ${limit}`);
}

/** Removes the values of a field from records that no other transaction has locked. Returns their number. */
export async function removeValues(
  tx: Tx,
  { company_id: companyId, on, key }: DeletedField,
  limit: number,
): Promise<number> {
  const { table, condition, update } = RECORDS[on];
  const rows = await tx.query(sql`
    with found as materialized (
      select id from ${table} where company_id = ${companyId} and ${condition} and custom <> '{}' and custom ? ${key}::text
      order by id limit ${limit} for update skip locked
    )
    ${update} set custom = r.custom - ${key}::text
    from found where r.company_id = ${companyId} and r.id = found.id
    returning r.id`);
  return rows.length;
}

/** Deletes a definition that has no values any more. */
export async function deleteField(tx: Tx, { company_id: companyId, id, on, key }: DeletedField): Promise<void> {
  const { table, condition } = RECORDS[on];
  await tx.query(sql`
    delete from custom_fields where company_id = ${companyId} and id = ${id} and deleted and not exists (
      select from ${table} where company_id = ${companyId} and ${condition} and custom <> '{}' and custom ? ${key}::text)`);
}

export interface StoredValues {
  company_id: number;
  on: CustomFieldOwner;
  id: number;
  custom: Record<string, unknown>;
}

/** Yields the records of all companies that have values, in pages. */
export async function* walkStored(db: Queryable): AsyncGenerator<StoredValues[]> {
  for (const [table, on] of [
    ['products', `case when variant_of is null then 'product' else 'variant' end`],
    ['collections', "'collection'"],
    ['customers', "'customer'"],
    ['orders', "'order'"],
  ] as const) {
    let after: { company: number; id: number } = { company: 0, id: 0 };
    for (;;) {
      const rows = await db.query<StoredValues>(sql`
        select company_id, ${rawSql(on)} as "on", id, custom from ${rawSql(table)}
        where custom <> '{}' and (company_id, id) > (${after.company}, ${after.id})
        order by company_id, id limit ${AT_ONCE}`);
      if (rows.length > 0) yield rows;
      if (rows.length < AT_ONCE) break;
      const last = rows.at(-1)!;
      after = { company: last.company_id, id: last.id };
    }
  }
}
