import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { Shop } from '../shop.ts';
import type { LedgerType } from './ledger.ts';

export interface Balance {
  balance: number;
  lifetime: number;
  /** Points of the balance that carts have reserved. */
  reserved: number;
}

/** Returns zeros for a customer without entries, undefined for an unknown one. */
export async function findBalance(db: Queryable, companyId: number, customerId: number): Promise<Balance | undefined> {
  const rows = await db.query<Balance>(sql`
    select coalesce(a.points_balance, 0) as balance, coalesce(a.points_lifetime, 0) as lifetime,
      coalesce(a.points_reserved, 0) as reserved
    from customers c left join customer_accounts a on a.company_id = c.company_id and a.customer_id = c.id
    where c.company_id = ${companyId} and c.id = ${customerId} and c.erased_at is null`);
  return rows[0];
}

/** Returns the balances of the customers: of all if the company runs the program, otherwise of those who still have points. */
export async function findPoints(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<{ customer_id: number; points: number }[]> {
  return db.query(sql`
    select t.customer_id, coalesce(a.points_balance, 0) as points
    from unnest(${customerIds}::bigint[]) as t (customer_id)
    join companies c on c.company_id = ${companyId}
    left join customer_accounts a on a.company_id = ${companyId} and a.customer_id = t.customer_id
    where a.points_balance <> 0 or coalesce((c.settings->'loyalty'->>'enabled')::boolean, true)`);
}

/** Returns a customer's personal fields, for events. */
export async function findPerson(
  db: Queryable,
  companyId: number,
  id: number,
): Promise<{ email: string | null; first_name: string; last_name: string } | undefined> {
  const rows = await db.query<{ email: string | null; first_name: string; last_name: string }>(sql`
    select email, first_name, last_name from customers where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

export interface LedgerRow {
  id: number;
  type: LedgerType;
  points: number;
  order_id: number | null;
  reason: string | null;
  actor: string;
  created_at: Date;
}

export async function listLedger(
  db: Queryable,
  companyId: number,
  customerId: number,
  page: PageBounds,
): Promise<LedgerRow[]> {
  return db.query<LedgerRow>(sql`
    select id, type, points, order_id, reason, actor, created_at from loyalty_ledger
    where company_id = ${companyId} and customer_id = ${customerId}
    order by id desc offset ${page.skip} limit ${page.take}`);
}

export async function countLedger(db: Queryable, companyId: number, customerId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from loyalty_ledger where company_id = ${companyId} and customer_id = ${customerId}`);
  return rows[0]!.n;
}

/** Sets the given settings of the program; returns all stored ones. Others have their defaults. */
export async function mergeLoyaltySettings(
  tx: Tx,
  companyId: number,
  settings: Partial<Shop['loyalty']>,
): Promise<Partial<Shop['loyalty']>> {
  const rows = await tx.query<{ loyalty: Partial<Shop['loyalty']> }>(sql`
    update companies
    set settings = settings || jsonb_build_object('loyalty', coalesce(settings->'loyalty', '{}') || ${settings}::jsonb)
    where company_id = ${companyId}
    returning settings->'loyalty' as loyalty`);
  return rows[0]!.loyalty;
}
