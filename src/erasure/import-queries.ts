import type { Tx } from '../db/pool.ts';
import { likeAnywhere, sql } from '../db/sql.ts';

/** Rows that one slice scans. */
const CHUNKS = 40;
const FINDINGS = 2_000;

/**
 * Discards files that were uploaded until then and are not being imported: any of them may name the person, and whoever still needs one can
 * upload it again. A file that is being imported is discarded when the import ends. Returns true while there are more.
 */
export async function discardFiles(tx: Tx, companyId: number, until: Date): Promise<boolean> {
  const rows = await tx.query<{ n: number }>(sql`
    with old as (
      select id from imports
      where company_id = ${companyId} and chunks > 0 and status <> 'running' and created_at <= ${until} for update
    ),
    few as materialized (
      select c.import_id, c.n from old o join import_chunks c on c.company_id = ${companyId} and c.import_id = o.id limit ${CHUNKS}
    ),
    gone as (
      delete from import_chunks c using few f
      where c.company_id = ${companyId} and c.import_id = f.import_id and c.n = f.n
    ),
    ended as (
      update imports i set status = 'cancelled', epoch = epoch + 1, lease_until = null, finished_at = ${until}
      from old o where i.company_id = ${companyId} and i.id = o.id and i.status in ('uploading', 'checking', 'checked')
    )
    select count(*) as n from few`);
  return rows[0]!.n === CHUNKS;
}

/** Deletes what imports keep of the people's records for an undo. */
export async function eraseBefore(
  tx: Tx,
  companyId: number,
  { contactIds, customerIds }: { contactIds: number[]; customerIds: number[] },
): Promise<void> {
  await tx.query(sql`
    delete from import_journal
    where company_id = ${companyId} and before is not null and (
      kind = 'contact' and record_ids[1] = any(${contactIds}::bigint[])
      or kind = 'customer' and record_ids[1] = any(${customerIds}::bigint[]))`);
}

/**
 * Empties refused rows of imports created until then, including what their reasons quote, since a file may spell a phone number in any way.
 * In later imports only rows that contain one of the texts (lower case) are emptied. Returns the last row that was scanned.
 */
export async function eraseFindings(
  tx: Tx,
  companyId: number,
  { texts, until }: { texts: string[]; until: Date },
  after: string,
): Promise<string | null> {
  const [id = 0, phase = '', n = -1] = after === '' ? [] : after.split(' ');
  const parts = texts.map(likeAnywhere);
  const rows = await tx.query<{ last: string }>(sql`
    with looked as materialized (
      select import_id, phase, n, reason, cells is not null as has_cells,
        lower(reason || ' ' || coalesce(array_to_string(cells, ' '), '')) as text
      from import_findings
      where company_id = ${companyId} and (import_id, phase, n) > (${id}::bigint, ${phase}, ${n}::bigint)
      order by import_id, phase, n limit ${FINDINGS}
    ),
    found as (
      select l.*, l.text like any(${parts}::text[]) as names_person from looked l
      join imports i on i.company_id = ${companyId} and i.id = l.import_id
      where l.text like any(${parts}::text[]) or i.created_at <= ${until} and (l.has_cells or l.reason like '%«%')
    ),
    emptied as (
      update import_findings f set cells = null,
        reason = case when l.names_person then 'was erased' else regexp_replace(l.reason, '«.*»', '«…»') end
      from found l
      where f.company_id = ${companyId} and f.import_id = l.import_id and f.phase = l.phase and f.n = l.n
    )
    select import_id || ' ' || phase || ' ' || n as last from looked order by import_id desc, phase desc, n desc limit 1`);
  return rows[0]?.last ?? null;
}
