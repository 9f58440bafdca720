import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { namedIn } from '../audience/composition.ts';
import type { NewCampaign } from '../queries.ts';

/** The records that a campaign refers to. */
export function referencesOf({
  template_id,
  variants,
  type,
  ...columns
}: Pick<NewCampaign, 'list_id' | 'segment_id' | 'audience' | 'template_id' | 'variants' | 'type'>) {
  const templateIds = [template_id, ...variants.map((variant) => variant.template_id)].flatMap((id) => id ?? []);
  return { ...namedIn(columns), templateIds, type };
}

export interface MissingReferences {
  lists: number[];
  segments: number[];
  /** Those that are no e-mail campaigns, too: only these can be opened. */
  campaigns: number[];
  templates: number[];
}

/** Which of these records do not exist. */
export async function findMissingReferences(
  db: Queryable,
  companyId: number,
  names: ReturnType<typeof referencesOf>,
): Promise<MissingReferences> {
  const rows = await db.query<MissingReferences>(sql`
    select
      coalesce((select json_agg(named.id) from unnest(${names.listIds}::bigint[]) as named (id) where not exists (
        select 1 from lists l where l.company_id = ${companyId} and l.id = named.id and l.deleted_at is null)), '[]') as lists,
      coalesce((select json_agg(named.id) from unnest(${names.segmentIds}::bigint[]) as named (id) where not exists (
        select 1 from segments s where s.company_id = ${companyId} and s.id = named.id)), '[]') as segments,
      coalesce((select json_agg(named.id) from unnest(${names.campaignIds}::bigint[]) as named (id) where not exists (
        select 1 from campaigns k where k.company_id = ${companyId} and k.id = named.id and k.type = 'email')), '[]') as campaigns,
      coalesce((select json_agg(named.id) from unnest(${names.templateIds}::bigint[]) as named (id) where not exists (
        select 1 from templates t
        where t.company_id = ${companyId} and t.id = named.id and t.channel = ${names.type})), '[]') as templates`);
  return rows[0]!;
}

/** Whether one of the templates has no subject. */
export async function lacksSubject(db: Queryable, companyId: number, ids: number[]): Promise<boolean> {
  const rows = await db.query(sql`
    select id from templates
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and coalesce(subject, '') = '' limit 1`);
  return rows.length > 0;
}

/** The texts of the templates, which may contain coupons. */
export async function findCouponTexts(db: Queryable, companyId: number, ids: number[]): Promise<(string | null)[]> {
  const rows = await db.query<{ subject: string | null; preview_text: string | null; content: string }>(sql`
    select subject, preview_text, content from templates
    where company_id = ${companyId} and id = any(${ids}::bigint[])
      and (content like '%coupon.%' or subject like '%coupon.%' or preview_text like '%coupon.%')`);
  return rows.flatMap((row) => [row.subject, row.preview_text, row.content]);
}
