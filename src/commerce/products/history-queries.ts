import type { Queryable } from '../../db/pool.ts';
import { joinSql, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import { ACTOR_NAME } from '../actor-name.ts';

export interface PriceChangeRow {
  id: number;
  old_price: number | null;
  new_price: number;
  actor: string;
  actor_name: string | null;
  created_at: Date;
}

export interface StockMovementRow {
  kind: 'initial' | 'adjust' | 'order' | 'cancel';
  reference: number;
  delta: number;
  reason: string | null;
  actor: string;
  actor_name: string | null;
  created_at: Date;
}

const KINDS: readonly StockMovementRow['kind'][] = ['initial', 'adjust', 'order', 'cancel'];

export async function countPriceChanges(db: Queryable, companyId: number, productId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from price_history where company_id = ${companyId} and product_id = ${productId}`);
  return rows[0]!.n;
}

export async function listPriceChanges(
  db: Queryable,
  companyId: number,
  productId: number,
  { skip, take }: PageBounds,
): Promise<PriceChangeRow[]> {
  return db.query<PriceChangeRow>(sql`
    select id, old_price, new_price, actor, ${ACTOR_NAME}, created_at from price_history
    where company_id = ${companyId} and product_id = ${productId} order by id desc offset ${skip} limit ${take}`);
}

export async function countStockMovements(db: Queryable, companyId: number, productId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from stock_movements where company_id = ${companyId} and product_id = ${productId}`);
  return rows[0]!.n;
}

/** Within a kind, the primary key finds the latest by reference; an index by time would slow down every order. */
export async function listStockMovements(
  db: Queryable,
  companyId: number,
  productId: number,
  { skip, take }: PageBounds,
): Promise<StockMovementRow[]> {
  const latest = KINDS.map(
    (kind) => sql`
      (select kind, reference, delta, reason, actor, created_at from stock_movements
      where company_id = ${companyId} and product_id = ${productId} and kind = ${kind}
      order by reference desc limit ${skip + take})`,
  );
  return db.query<StockMovementRow>(sql`
    select kind, reference, delta, reason, actor, ${ACTOR_NAME}, created_at from (${joinSql(latest, ' union all ')}) merged
    order by created_at desc, reference desc offset ${skip} limit ${take}`);
}
