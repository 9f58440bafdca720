import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { Channel } from '../../ledger/message.ts';

/** The content of a message before rendering. Absent parts are null. */
export interface Content {
  subject: string | null;
  preview_text: string | null;
  /** HTML or MJML, or the text of an SMS; Liquid. */
  content: string | null;
  /** If set, the template provides the three above. */
  template_id: number | null;
  /** The sender of this content only: `Name <address>` or an address. */
  sender: string | null;
}

export interface StepContent extends Content {
  flow_id: number;
  version: number;
  step_id: string;
}

/** Returns the contents sent by steps of frozen flow versions. */
export function findStepContents(
  db: Queryable,
  companyId: number,
  steps: { flowId: number; version: number; stepId: string }[],
): Promise<StepContent[]> {
  return db.query<StepContent>(sql`
    select v.flow_id, v.version, step ->> 'step_id' as step_id, step #>> '{config,subject}' as subject,
      step #>> '{config,preview_text}' as preview_text, step #>> '{config,content}' as content,
      (step #>> '{config,template_id}')::bigint as template_id, step #>> '{config,from}' as sender
    from unnest(${steps.map((s) => s.flowId)}::bigint[], ${steps.map((s) => s.version)}::int[],
      ${steps.map((s) => s.stepId)}::text[]) as wanted (flow_id, version, step_id)
    join flow_versions v on v.company_id = ${companyId} and v.flow_id = wanted.flow_id and v.version = wanted.version
    cross join jsonb_array_elements(v.definition -> 'steps') step
    where step ->> 'step_id' = wanted.step_id`);
}

export interface RunContext {
  id: number;
  event: { event_type: string; data: Record<string, unknown> } | null;
  vars: Record<string, unknown> | null;
}

/** Returns the data of runs apart from their contact: the event that started them, responses to their webhook steps. */
export function findRunContexts(db: Queryable, companyId: number, runIds: number[]): Promise<RunContext[]> {
  return db.query<RunContext>(sql`
    select id, event, state -> 'vars' as vars from flow_runs
    where company_id = ${companyId} and id = any(${runIds}::bigint[])`);
}

export interface CampaignContent extends Content {
  id: number;
  name: string;
  variants: ({ key: string; from?: string } & Partial<
    Pick<Content, 'subject' | 'preview_text' | 'content' | 'template_id'>
  >)[];
}

export function findCampaignContents(db: Queryable, companyId: number, ids: number[]): Promise<CampaignContent[]> {
  return db.query<CampaignContent>(sql`
    select id, name, subject, preview_text, content, template_id, sender, variants from campaigns
    where company_id = ${companyId} and id = any(${ids}::bigint[])`);
}

export interface TemplateContent {
  id: number;
  channel: Channel;
  subject: string | null;
  preview_text: string | null;
  content: string;
}

export function findTemplateContents(db: Queryable, companyId: number, ids: number[]): Promise<TemplateContent[]> {
  return db.query<TemplateContent>(sql`
    select id, channel, subject, preview_text, content from templates
    where company_id = ${companyId} and id = any(${ids}::bigint[])`);
}

/** The target address of a link, or its prefix with what people are shown instead (see personal-links). */
export interface NewLink {
  url: string;
  prefix: string | null;
  hash: Buffer;
}

/** Returns the ids of link targets by their hashes in hexadecimal, and inserts those that are missing. */
export async function upsertLinks(
  db: Queryable,
  companyId: number,
  links: NewLink[],
): Promise<{ id: number; hash: string }[]> {
  return db.query<{ id: number; hash: string }>(sql`
    with wanted as (
      select url, prefix, hash from unnest(${links.map((l) => l.url)}::text[], ${links.map((l) => l.prefix)}::text[],
        ${links.map((l) => l.hash)}::bytea[]) as v (url, prefix, hash)
    ),
    made as (
      insert into tracked_links (company_id, url, prefix, hash)
      select ${companyId}, url, prefix, hash from wanted order by hash
      on conflict (company_id, hash) do update set url = excluded.url
      returning id, hash
    )
    select id, encode(hash, 'hex') as hash from made`);
}

/** Names of lists for their members, who are not told those of internal lists but the company's. */
export function findListNames(
  db: Queryable,
  companyId: number,
  ids: number[],
): Promise<{ id: number; name: string }[]> {
  return db.query(sql`
    select l.id, case when l.internal then k.name else l.name end as name
    from lists l join companies k using (company_id)
    where company_id = ${companyId} and l.id = any(${ids}::bigint[])`);
}

/** Returns the preferred languages of contacts, and the one set by their company. */
export function findLanguageWishes(
  db: Queryable,
  companyId: number,
  contactIds: number[],
): Promise<{ contact_id: number; language: string | null; locale: string | null; standard: string | null }[]> {
  return db.query(sql`
    select c.id as contact_id, c.properties ->> 'language' as language, c.properties ->> 'locale' as locale,
      k.settings -> 'messaging' ->> 'language' as standard
    from contacts c join companies k using (company_id)
    where c.company_id = ${companyId} and c.id = any(${contactIds}::bigint[])`);
}
