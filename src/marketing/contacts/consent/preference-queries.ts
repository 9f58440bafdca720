import type { Tx } from '../../../db/pool.ts';
import { rawSql, sql } from '../../../db/sql.ts';
import type { Preferences } from '../../../recipients/preferences.ts';

/** Stores a choice made on the preference page. Absent fields are unchanged; a change is logged in the timeline. */
export async function updatePreferences(
  tx: Tx,
  companyId: number,
  id: number,
  chosen: Partial<Preferences>,
  now: Date,
): Promise<void> {
  const { marketing_frequency: frequency, paused_until: until } = chosen;
  await tx.query(sql`
    with found as (
      select id, ${frequency === undefined ? rawSql('marketing_frequency') : sql`${frequency}::text`} as frequency,
        ${until === undefined ? rawSql('paused_until') : sql`${until}::timestamptz`} as until
      from contacts where company_id = ${companyId} and id = ${id} for no key update
    ),
    moved as (
      update contacts c set marketing_frequency = f.frequency, paused_until = f.until, updated_at = ${now}
      from found f
      where c.company_id = ${companyId} and c.id = f.id
        and (c.marketing_frequency is distinct from f.frequency or c.paused_until is distinct from f.until)
      returning c.id, f.frequency, f.until
    )
    insert into contact_activity (company_id, contact_id, type, data, created_at)
    select ${companyId}, id, 'preferences_changed', jsonb_build_object('frequency', coalesce(frequency, 'all'),
      'paused_until', to_char(until at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), 'source', 'preference_page'),
      ${now}::timestamptz
    from moved`);
}
