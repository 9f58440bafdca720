import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../db/sql.ts';
import type { Design } from './design/schema.ts';

export interface TemplateRow {
  id: number;
  name: string;
  channel: 'email' | 'sms';
  subject: string | null;
  preview_text: string | null;
  content: string;
  design: Design | null;
  revision: number;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = rawSql(
  't.id, t.name, t.channel, t.subject, t.preview_text, t.content, t.design, t.revision, t.created_at, t.updated_at',
);

/** Newest first. The total is counted: a shop has few templates. */
export async function listTemplates(
  db: Queryable,
  companyId: number,
  channel: string | null,
  page: { skip: number; take: number },
): Promise<{ rows: TemplateRow[]; total: number }> {
  const where = sql`t.company_id = ${companyId} ${channel === null ? emptySql : sql`and t.channel = ${channel}`}`;
  const rows = await db.query<{ list_total: number } & { [K in keyof TemplateRow]: TemplateRow[K] | null }>(sql`
    select l.total as list_total, ${COLUMNS}
    from (select count(*) as total from templates t where ${where}) l
    left join lateral (
      select * from templates t where ${where} order by t.id desc offset ${page.skip} limit ${page.take}
    ) t on true
    order by t.id desc`);
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & TemplateRow => row.id !== null) };
}

export async function findTemplate(db: Queryable, companyId: number, id: number): Promise<TemplateRow | undefined> {
  const rows = await db.query<TemplateRow>(sql`
    select ${COLUMNS} from templates t where t.company_id = ${companyId} and t.id = ${id}`);
  return rows[0];
}

/** The same, locked until COMMIT. */
export async function lockTemplate(tx: Tx, companyId: number, id: number): Promise<TemplateRow | undefined> {
  const rows = await tx.query<TemplateRow>(sql`
    select ${COLUMNS} from templates t where t.company_id = ${companyId} and t.id = ${id} for no key update`);
  return rows[0];
}

export async function insertTemplate(
  tx: Tx,
  companyId: number,
  template: Omit<TemplateRow, 'id' | 'revision' | 'created_at' | 'updated_at'>,
  now: Date,
): Promise<TemplateRow> {
  const { name, channel, subject, preview_text, content, design } = template;
  const rows = await tx.query<TemplateRow>(sql`
    insert into templates as t (company_id, name, channel, subject, preview_text, content, design, created_at, updated_at)
    values (${companyId}, ${name}, ${channel}, ${subject}, ${preview_text}, ${content}, ${jsonOf(design)}::jsonb, ${now}, ${now})
    returning ${COLUMNS}`);
  return rows[0]!;
}

function jsonOf(design: Design | null): string | null {
  return design === null ? null : JSON.stringify(design);
}

export async function updateTemplate(tx: Tx, companyId: number, row: TemplateRow, now: Date): Promise<TemplateRow> {
  const rows = await tx.query<TemplateRow>(sql`
    update templates t set name = ${row.name}, subject = ${row.subject}, preview_text = ${row.preview_text},
      content = ${row.content}, design = ${jsonOf(row.design)}::jsonb, updated_at = ${now}
    where t.company_id = ${companyId} and t.id = ${row.id} returning ${COLUMNS}`);
  return rows[0]!;
}

/** A campaign or flow that still uses the template, as "campaign 3"; null if there is none. Drafts do not count. */
export async function findUse(tx: Tx, companyId: number, id: number): Promise<string | null> {
  const step = JSON.stringify([{ config: { template_id: id } }]);
  const rows = await tx.query<{ subject: string }>(sql`
    select 'campaign ' || k.id as subject from campaigns k
    where k.company_id = ${companyId} and k.status in ('scheduled', 'sending', 'paused')
      and (k.template_id = ${id} or k.variants @> ${JSON.stringify([{ template_id: id }])}::jsonb)
    union all
    select 'flow ' || f.id from flows f
    where f.company_id = ${companyId} and f.status in ('active', 'paused') and f.deleted_at is null and exists (
      select 1 from flow_versions v
      where v.company_id = f.company_id and v.flow_id = f.id and v.definition -> 'steps' @> ${step}::jsonb)
    limit 1`);
  return rows[0]?.subject ?? null;
}

export async function deleteTemplate(tx: Tx, companyId: number, id: number): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from templates where company_id = ${companyId} and id = ${id} returning id`);
  return rows.length > 0;
}
