import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { Channel } from '../ledger/message.ts';

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

/** The target address of a link, or its prefix with what people are shown instead (see links/track.ts). */
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

/** The newest contacts whose properties are read. */
const CONTACTS = 500;
const MOST_NAMES = 500;

/** Returns the names of the properties that contacts have. */
export async function findPropertyNames(db: Queryable, companyId: number): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select distinct name from (
      select properties from contacts where company_id = ${companyId} order by id desc limit ${CONTACTS}
    ) newest, jsonb_object_keys(newest.properties) name order by name limit ${MOST_NAMES}`);
  return rows.map(({ name }) => name);
}

/** Returns the codes of coupon templates, and the keys of the custom fields of customers. */
export async function findShopNames(
  db: Queryable,
  companyId: number,
): Promise<{ coupons: string[]; customFields: string[] }> {
  const rows = await db.query<{ code: string | null; key: string | null }>(sql`
    (select code, null as key from promo_codes
      where company_id = ${companyId} and template_id is null and is_template order by code limit ${MOST_NAMES})
    union all
    (select null, key from custom_fields
      where company_id = ${companyId} and "on" = 'customer' and not deleted order by position, id)`);
  return { coupons: rows.flatMap(({ code }) => code ?? []), customFields: rows.flatMap(({ key }) => key ?? []) };
}
