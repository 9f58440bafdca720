import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { BrandKit } from './contract.ts';

/** companies.settings.brand: the fields of the brand kit that were set. */
export async function findBrand(db: Queryable, companyId: number): Promise<Partial<BrandKit> | null> {
  const rows = await db.query<{ brand: Partial<BrandKit> | null }>(sql`
    select settings -> 'brand' as brand from companies where company_id = ${companyId}`);
  return rows[0]?.brand ?? null;
}

type Brand = Partial<BrandKit> | null;

/** Returns the fields before and after. */
export async function mergeBrand(
  tx: Tx,
  companyId: number,
  patch: Record<string, unknown>,
): Promise<{ before: Brand; after: Brand }> {
  const rows = await tx.query<{ before: Brand; after: Brand }>(sql`
    update companies c set settings = c.settings || jsonb_build_object('brand',
      jsonb_strip_nulls(coalesce(c.settings -> 'brand', '{}') || ${patch}::jsonb))
    from (select settings -> 'brand' as brand from companies where company_id = ${companyId} for no key update) known
    where c.company_id = ${companyId}
    returning known.brand as before, c.settings -> 'brand' as after`);
  return rows[0]!;
}
