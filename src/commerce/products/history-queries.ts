import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import { ACTOR_NAME } from '../actor-name.ts';
import type { MovementKind } from '../inventory/stock.ts';

export interface PriceChangeRow {
  id: number;
  old_price: number | null;
  new_price: number;
  actor: string;
  actor_name: string | null;
  created_at: Date;
}

export interface StockMovementRow {
  id: number;
  product_id: number;
  location_id: number;
  kind: MovementKind;
  reference_id: number | null;
  order_id: number | null;
  delta: number;
  reason: string | null;
  actor: string;
  actor_name: string | null;
  created_at: Date;
}

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

export async function listStockMovements(
  db: Queryable,
  companyId: number,
  productId: number,
  { skip, take }: PageBounds,
): Promise<StockMovementRow[]> {
  return db.query<StockMovementRow>(sql`
    select m.id, m.product_id, coalesce(m.location_id, (select id from locations where company_id = ${companyId} and main)) as location_id,
      m.kind, m.reference_id, i.order_id, m.delta, m.reason, m.actor, ${ACTOR_NAME}, m.created_at
    from (
      select * from stock_movements
      where company_id = ${companyId} and product_id = ${productId} order by id desc offset ${skip} limit ${take}
    ) m
    left join order_items i on i.company_id = m.company_id and i.id = m.reference_id
      and m.kind in ('order', 'cancel', 'restock')
    order by m.id desc`);
}
