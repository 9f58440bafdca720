import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** Sets keys of companies.settings.messaging; null deletes one. */
export async function mergeSettings(tx: Tx, companyId: number, patch: Record<string, unknown>): Promise<void> {
  await tx.query(sql`
    update companies set settings = settings || jsonb_build_object('messaging',
      jsonb_strip_nulls(coalesce(settings -> 'messaging', '{}') || ${patch}::jsonb))
    where company_id = ${companyId}`);
}
