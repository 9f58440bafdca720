import type { KeysetPage } from '../../db/keyset-pages.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';

export interface NoteRow {
  id: number;
  customer_id: number;
  order_id: number | null;
  text: string;
  actor: string;
  actor_name: string | null;
  created_at: Date;
}

/** The customer or order that notes are about. */
export interface Subject {
  kind: 'customer' | 'order';
  id: number;
}

const COLUMNS = rawSql('n.id, n.customer_id, n.order_id, n.text, n.actor, n.actor_name, n.created_at');

function about(companyId: number, { kind, id }: Subject): Statement {
  const column = kind === 'customer' ? rawSql('n.customer_id') : rawSql('n.order_id');
  return sql`n.company_id = ${companyId} and ${column} = ${id}`;
}

export async function countNotes(db: Queryable, companyId: number, subject: Subject): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`select count(*) as n from notes n where ${about(companyId, subject)}`);
  return rows[0]!.n;
}

/** Newest first. */
export async function listNotes(
  db: Queryable,
  companyId: number,
  subject: Subject,
  page: PageBounds,
): Promise<NoteRow[]> {
  return db.query<NoteRow>(sql`
    select ${COLUMNS} from notes n
    where ${about(companyId, subject)} order by n.id desc offset ${page.skip} limit ${page.take}`);
}

/** Returns the customer's id; undefined if unknown. */
export async function customerOf(db: Queryable, companyId: number, { kind, id }: Subject): Promise<number | undefined> {
  const rows = await db.query<{ id: number }>(
    kind === 'customer'
      ? sql`select id from customers where company_id = ${companyId} and id = ${id} and erased_at is null`
      : sql`select customer_id as id from orders where company_id = ${companyId} and id = ${id}`,
  );
  return rows[0]?.id;
}

/**
 * The same, locked until the end of the transaction: a merge of the customer waits and then reassigns the note. Also undefined if the
 * customer was erased.
 */
export async function lockCustomerOf(tx: Tx, companyId: number, { kind, id }: Subject): Promise<number | undefined> {
  const rows = await tx.query<{ id: number }>(
    kind === 'customer'
      ? sql`select id from customers where company_id = ${companyId} and id = ${id} and erased_at is null for key share`
      : sql`
        select o.customer_id as id from orders o
        join customers c on c.company_id = o.company_id and c.id = o.customer_id and c.erased_at is null
        where o.company_id = ${companyId} and o.id = ${id} for share of o`,
  );
  return rows[0]?.id;
}

/** Returns the name of a member; null if the actor is no person. Do not call it behind the tenant barrier. */
export async function findMemberName(db: Queryable, companyId: number, actor: string): Promise<string | null> {
  const rows = await db.query<{ name: string }>(sql`
    select p.name from members m join persons p on p.id = m.person_id
    where m.company_id = ${companyId} and 'admin:' || m.person_id = ${actor}`);
  return rows[0]?.name ?? null;
}

export interface NewNote {
  customerId: number;
  orderId: number | null;
  text: string;
  actor: string;
  actorName: string | null;
}

export async function insertNotes(tx: Tx, companyId: number, notes: readonly NewNote[], now: Date): Promise<NoteRow[]> {
  const given = notes.map(({ customerId, orderId, text, actor, actorName }) => ({
    customer_id: customerId,
    order_id: orderId,
    text,
    actor,
    actor_name: actorName,
  }));
  return tx.query<NoteRow>(sql`
    insert into notes as n (company_id, customer_id, order_id, text, actor, actor_name, created_at)
    select ${companyId}, customer_id, order_id, text, actor, actor_name, ${now}
    from json_to_recordset(${JSON.stringify(given)}::json) as g (customer_id bigint, order_id bigint, text text, actor text,
      actor_name text)
    returning ${COLUMNS}`);
}

/** Returns the deleted note; undefined if it is unknown or about the other kind. */
export async function deleteNote(tx: Tx, companyId: number, { kind, id }: Subject): Promise<NoteRow | undefined> {
  const rows = await tx.query<NoteRow>(sql`
    delete from notes n
    where n.company_id = ${companyId} and n.id = ${id} and (n.order_id is null) = ${kind === 'customer'}
    returning ${COLUMNS}`);
  return rows[0];
}

/** Reassigns a customer's notes to another customer. */
export async function moveNotes(tx: Tx, companyId: number, from: number, into: number): Promise<void> {
  await tx.query(sql`
    update notes set customer_id = ${into} where company_id = ${companyId} and customer_id = ${from}`);
}

/** Selects the customer's notes, for `keysetPages`. */
export function notesOfCustomer(companyId: number, customerId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select id, json_build_object('id', id, 'order_id', order_id, 'text', text,
      'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as data
    from notes where company_id = ${companyId} and customer_id = ${customerId} and id > ${after}
    order by id limit ${limit}`;
}

/** Deletes notes of erased customers, in slices. Returns the highest deleted id, or null at the end. */
export async function deleteNotesOf(tx: Tx, companyId: number, customerIds: number[]): Promise<number | null> {
  const rows = await tx.query<{ id: number | null }>(sql`
    with gone as (
      delete from notes where company_id = ${companyId} and id = any(array(
        select id from notes where company_id = ${companyId} and customer_id = any(${customerIds}::bigint[]) limit 500))
      returning id
    )
    select max(id) as id from gone`);
  return rows[0]!.id;
}
