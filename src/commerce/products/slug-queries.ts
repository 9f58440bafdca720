import type { Tx } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';

export async function findTakenSlugs(tx: Tx, companyId: number, slugs: string[]): Promise<Set<string>> {
  const rows = await tx.query<{ slug: string }>(sql`
    select slug from products where company_id = ${companyId} and slug = any(${slugs})`);
  return new Set(rows.map((row) => row.slug));
}

/**
 * Until COMMIT, a transaction that generates a slug excludes all others that set one, so that a slug found free stays free.
 * Transactions that were given their slug do not exclude each other.
 */
export async function lockSlugs(tx: Tx, companyId: number, slug: 'generated' | 'given'): Promise<void> {
  const lock = rawSql(slug === 'generated' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared');
  await tx.query(sql`select ${lock}(hashtextextended('product slugs', ${companyId}))`);
}
