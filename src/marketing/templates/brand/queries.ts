import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { BrandKit } from './contract.ts';

/** companies.settings.brand: the fields of the brand kit that were set. */
export async function findBrand(db: Queryable, companyId: number): Promise<Partial<BrandKit> | null> {
  const rows = await db.query<{ brand: Partial<BrandKit> | null }>(sql`
    select settings -> 'brand' as brand from companies where company_id = ${companyId}`);
  return rows[0]?.brand ?? null;
}

export async function mergeBrand(tx: Tx, companyId: number, patch: Record<string, unknown>): Promise<void> {
  await tx.query(sql`
    update companies set settings = settings || jsonb_build_object('brand',
      jsonb_strip_nulls(coalesce(settings -> 'brand', '{}') || ${patch}::jsonb))
    where company_id = ${companyId}`);
}
