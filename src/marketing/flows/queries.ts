import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, sql } from '../../db/sql.ts';
import type { Definition } from './definition/definition.ts';
import type { FlowStatus } from './status.ts';

/** A flow as it is edited; its runs follow versions. */
export interface FlowRow {
  id: number;
  name: string;
  status: FlowStatus;
  trigger_type: string;
  definition: Definition;
  version: number;
  revision: number;
  created_at: Date;
  updated_at: Date;
}

export async function insertFlow(
  tx: Tx,
  companyId: number,
  flow: { name: string; triggerType: string; definition: Definition; now: Date },
): Promise<FlowRow> {
  const rows = await tx.query<FlowRow>(sql`
    insert into flows (company_id, name, status, trigger_type, definition, created_at, updated_at)
    values (${companyId}, ${flow.name}, 'draft', ${flow.triggerType}, ${flow.definition}, ${flow.now}, ${flow.now})
    returning id, name, status, trigger_type, definition, version, revision, created_at, updated_at`);
  return rows[0]!;
}

export async function findFlow(db: Queryable, companyId: number, id: number): Promise<FlowRow | undefined> {
  const rows = await db.query<FlowRow>(sql`
    select id, name, status, trigger_type, definition, version, revision, created_at, updated_at from flows
    where company_id = ${companyId} and id = ${id} and deleted_at is null`);
  return rows[0];
}

/** Waits for the transactions that advance the flow's runs, and blocks new ones. */
export async function lockFlow(tx: Tx, companyId: number, id: number): Promise<FlowRow | undefined> {
  const rows = await tx.query<FlowRow>(sql`
    select id, name, status, trigger_type, definition, version, revision, created_at, updated_at from flows
    where company_id = ${companyId} and id = ${id} and deleted_at is null for no key update`);
  return rows[0];
}

/** Returns the flow with its new revision. */
export async function updateFlow(tx: Tx, companyId: number, flow: FlowRow): Promise<FlowRow> {
  const rows = await tx.query<{ revision: number }>(sql`
    update flows set name = ${flow.name}, status = ${flow.status}, trigger_type = ${flow.trigger_type},
      definition = ${flow.definition}, version = ${flow.version}, updated_at = ${flow.updated_at}
    where company_id = ${companyId} and id = ${flow.id} returning revision`);
  return { ...flow, ...rows[0] };
}

export async function markDeleted(tx: Tx, companyId: number, id: number, now: Date): Promise<void> {
  await tx.query(sql`
    update flows set status = 'archived', deleted_at = ${now}, updated_at = ${now}
    where company_id = ${companyId} and id = ${id}`);
}

export interface FlowFilter {
  status?: FlowStatus;
  triggerType?: string;
}

/** One page of flows, newest first, and their total number. */
export async function listFlows(
  db: Queryable,
  companyId: number,
  { status, triggerType }: FlowFilter,
  page: { offset: number; limit: number },
): Promise<{ rows: FlowRow[]; total: number }> {
  const wanted = sql`
    from flows where company_id = ${companyId} and deleted_at is null
      ${status === undefined ? emptySql : sql`and status = ${status}`}
      ${triggerType === undefined ? emptySql : sql`and trigger_type = ${triggerType}`}`;
  const [rows, counted] = await Promise.all([
    db.query<FlowRow>(sql`
      select id, name, status, trigger_type, definition, version, revision, created_at, updated_at ${wanted}
      order by id desc offset ${page.offset} limit ${page.limit}`),
    db.query<{ n: number }>(sql`select count(*) as n ${wanted}`),
  ]);
  return { rows, total: counted[0]!.n };
}

/** The statuses of those flows that exist. */
export async function flowStatuses(db: Queryable, companyId: number, ids: number[]): Promise<Map<number, FlowStatus>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<{ id: number; status: FlowStatus }>(sql`
    select id, status from flows
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and deleted_at is null`);
  return new Map(rows.map((row) => [row.id, row.status]));
}

/** The e-mail templates among the ids, and whether each has a subject. */
export async function findMailTemplates(
  db: Queryable,
  companyId: number,
  ids: number[],
): Promise<Map<number, { hasSubject: boolean }>> {
  const rows = await db.query<{ id: number; has_subject: boolean }>(sql`
    select id, coalesce(subject, '') <> '' as has_subject from templates
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and channel = 'email'`);
  return new Map(rows.map((row) => [row.id, { hasSubject: row.has_subject }]));
}

/** The ids that belong to existing contacts. */
export async function existingContacts(db: Queryable, companyId: number, ids: number[]): Promise<Set<number>> {
  const rows = await db.query<{ id: number }>(
    sql`select id from contacts where company_id = ${companyId} and id = any(${ids}::bigint[])`,
  );
  return new Set(rows.map((row) => row.id));
}

export async function findTimeZone(db: Queryable, companyId: number): Promise<string> {
  const rows = await db.query<{ time_zone: string }>(
    sql`select time_zone from companies where company_id = ${companyId}`,
  );
  return rows[0]!.time_zone;
}

/** Decimal places of the company's currency. */
export async function findExponent(db: Queryable, companyId: number): Promise<number> {
  const rows = await db.query<{ exponent: number }>(
    sql`select currency_exponent as exponent from companies where company_id = ${companyId}`,
  );
  return rows[0]!.exponent;
}
