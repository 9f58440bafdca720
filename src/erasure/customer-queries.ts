import { EMPTIED_CART } from '../commerce/carts/tables.ts';
import type { Tx } from '../db/pool.ts';
import { joinSql, rawSql, type Statement, sql } from '../db/sql.ts';
import { TABLES } from '../tables.ts';
import { lastOf } from './contact-queries.ts';
import { IMPERSONAL_FIELDS } from './impersonal.ts';

/* Erases data of customers, in slices as for contacts. Amounts, items, dates, country and state stay for accounting. */

/** Empties columns of one table's rows and of the rows that belong to them. */
export interface RowsOfCustomers {
  table: string;
  erase(tx: Tx, companyId: number, ids: number[], after: number): Promise<number | null>;
}

/** Derived from the declarations of the tables. */
export const ROWS_OF_CUSTOMERS: readonly RowsOfCustomers[] = TABLES.flatMap(({ name, erasure }) => {
  if (erasure === undefined || !('emptyBy' in erasure)) return [];
  const children = TABLES.flatMap((child) => {
    if (child.erasure === undefined || !('emptyWith' in child.erasure) || child.erasure.emptyWith !== name) return [];
    return { table: child.name, column: child.erasure.column, set: child.erasure.set };
  });
  return { table: name, erase: eraserOf(name, erasure, children) };
});

type Emptied = Readonly<Record<string, string>>;

function eraserOf(
  table: string,
  { set, rowsPerSlice }: { set: Emptied; rowsPerSlice: number },
  children: readonly { table: string; column: string; set: Emptied }[],
): RowsOfCustomers['erase'] {
  return (tx, companyId, ids, after) => {
    const updates = [
      sql`emptied as (${emptying(companyId, table, set)} and r.id = found.id and r.customer_id = found.customer_id)`,
      ...children.map(
        (child, n) =>
          sql`${rawSql(`emptied_${n}`)} as (${emptying(companyId, child.table, child.set)} and r.${rawSql(child.column)} = found.id)`,
      ),
    ];
    return lastOf(
      tx.query(sql`
        with found as materialized (
          select id, customer_id from ${rawSql(table)}
          where company_id = ${companyId} and customer_id = any(${ids}::bigint[]) and id > ${after}
          order by id limit ${rowsPerSlice}
        ),
        ${joinSql(updates, ', ')}
        select max(id) as id from found`),
    );
  };
}

/** Sets the columns of rows where they differ; `found` has the ids. */
function emptying(companyId: number, table: string, set: Emptied): Statement {
  const [columns, values] = [Object.keys(set), Object.values(set)];
  const differs = columns.map((column, n) => `r.${column} is distinct from ${values[n]}`).join(' or ');
  return sql`update ${rawSql(table)} r set ${rawSql(columns.map((column, n) => `${column} = ${values[n]}`).join(', '))}
    from found where r.company_id = ${companyId} and (${rawSql(differs)})`;
}

/**
 * Empties carts of guests: with these e-mail addresses, and those whose orders are of the customers. One that is being paid is left for its
 * order, which needs the address; whoever erases a customer has made sure that there is none.
 */
export async function eraseGuestCarts(
  tx: Tx,
  companyId: number,
  { ids, emails, until }: { ids: number[]; emails: string[]; until: Date },
  after: number,
): Promise<number | null> {
  return lastOf(
    tx.query(sql`
      with of_person as (
        select id from carts
        where company_id = ${companyId} and email = any(${emails}::text[]) and customer_id is null and created_at <= ${until}
          and status <> 'paying'
        union
        select cart_id from orders where company_id = ${companyId} and customer_id = any(${ids}::bigint[]) and guest
      ),
      found as materialized (select id from of_person where id > ${after} order by id limit ${EMPTIED_CART.rowsPerSlice}),
      emptied as (${emptying(companyId, 'carts', EMPTIED_CART.set)} and r.id = found.id)
      select max(id) as id from found`),
  );
}

/** The `payload` without personal fields. */
const IMPERSONAL = sql`(
  select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(payload)
  where key = any(${IMPERSONAL_FIELDS}::text[]))`;

/** Whose events they are: customers by id, and guests of carts by their e-mail addresses. */
export interface EventPeople {
  ids: number[];
  /** In lower case. */
  emails: string[];
}

/** Empties outbox messages that are not delivered yet; there are few. */
export async function eraseWaitingEvents(tx: Tx, companyId: number, { ids, emails }: EventPeople): Promise<void> {
  await tx.query(sql`
    update outbox set payload = ${IMPERSONAL}
    where company_id = ${companyId} and (payload ->> 'customer_id' = any(${ids.map(String)}::text[])
      or (not payload ? 'customer_id' and lower(payload ->> 'email') = any(${emails}::text[])))`);
}

/** Webhook deliveries about the people. */
export async function eraseDeliveries(
  tx: Tx,
  companyId: number,
  { ids, emails }: EventPeople,
  after: number,
): Promise<number | null> {
  const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
  const parts = [
    ...ids.map((id) => `%"customer_id":"${id}"%`),
    ...emails.map((email) => `%"email":${literal(JSON.stringify(email))}%`),
  ];
  return lastOf(
    tx.query(sql`
      with looked as materialized (
        select id, body from webhook_deliveries where company_id = ${companyId} and id > ${after} order by id limit 1000
      ),
      found as materialized (select id from looked where body like any(${parts}::text[])),
      emptied as (
        update webhook_deliveries d set response_body = null, error = null,
          body = jsonb_set(d.body::jsonb, '{event_data}', (
            select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(d.body::jsonb -> 'event_data')
            where key = any(${IMPERSONAL_FIELDS}::text[])))::text
        from found where d.company_id = ${companyId} and d.id = found.id
      )
      select max(id) as id from looked`),
  );
}
