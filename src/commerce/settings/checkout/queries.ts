import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { CheckoutSettings } from './contract.ts';

type Stored = Partial<CheckoutSettings> | null;

/** Returns the stored settings. Others have their defaults. */
export async function findCheckout(db: Queryable, companyId: number): Promise<Stored> {
  const rows = await db.query<{ checkout: Stored }>(sql`
    select settings->'checkout' as checkout from companies where company_id = ${companyId}`);
  return rows[0]!.checkout;
}

/** Sets the given settings; returns all stored ones. */
export async function mergeCheckout(tx: Tx, companyId: number, given: Partial<CheckoutSettings>): Promise<Stored> {
  const rows = await tx.query<{ checkout: Stored }>(sql`
    update companies
    set settings = settings || jsonb_build_object('checkout', coalesce(settings->'checkout', '{}') || ${given}::jsonb)
    where company_id = ${companyId}
    returning settings->'checkout' as checkout`);
  return rows[0]!.checkout;
}
