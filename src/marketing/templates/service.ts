import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { AppError, invalidField, notFound } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import { type IfMatch, requireRevision } from '../../lib/validation/revision.ts';
import type { Previewer } from '../../messaging/compose/preview.ts';
import type { Renderer } from '../../messaging/compose/renderer.ts';
import type { MissingSetting } from '../../messaging/send/missing-settings.ts';
import type { Template, TemplateInput, TemplatePatch, WrittenTemplate } from './contract.ts';
import * as queries from './queries.ts';
import { testTemplate } from './test-sends.ts';
import { contentOf } from './written.ts';

/** What changing templates requires from the program. */
export interface TemplateDeps {
  db: Db;
  messaging: {
    previewer: Previewer;
    renderer: Pick<Renderer, 'syntaxFailures' | 'compileDesign'>;
    missingFor(companyId: number): Promise<readonly MissingSetting[]>;
  };
}

function recordOf({ id, created_at, updated_at, ...row }: queries.TemplateRow): Template {
  return {
    template_id: id,
    ...row,
    created_at: formatTimestamp(created_at),
    updated_at: formatTimestamp(updated_at),
  };
}

async function listTemplates(
  db: Queryable,
  companyId: number,
  query: { channel?: 'email' | 'sms'; page?: number; per_page?: number },
): Promise<Page<Template>> {
  const { page, perPage, ...bounds } = pageOf(query);
  const { rows, total } = await queries.listTemplates(db, companyId, query.channel ?? null, bounds);
  return { rows: rows.map(recordOf), total, page, perPage };
}

/** Throws not_found. */
export async function getTemplate(db: Queryable, companyId: number, id: number): Promise<Template> {
  const row = await queries.findTemplate(db, companyId, id);
  if (row === undefined) throw notFound(`template ${id}`);
  return recordOf(row);
}

/** Throws validation_failed if it cannot be rendered. */
async function createTemplate(
  { db, messaging }: TemplateDeps,
  caller: Caller,
  input: TemplateInput,
): Promise<WrittenTemplate> {
  const { name, channel = 'email', subject = null, preview_text = null } = input;
  const written = await contentOf(messaging.renderer, caller.companyId, { ...input, channel });
  const row = { name, channel, subject, preview_text, ...written };
  requireSubject(row);
  const warnings = await messaging.previewer.warningsOf(caller.companyId, row);
  return write(db, caller, async (tx) => {
    const made = await queries.insertTemplate(tx, caller.companyId, row, caller.now);
    return { ...recordOf(made), warnings };
  });
}

/** Throws not_found, revision_mismatch, validation_failed. */
async function updateTemplate(
  { db, messaging }: TemplateDeps,
  caller: Caller,
  id: number,
  patch: TemplatePatch,
  ifMatch: IfMatch | null,
): Promise<WrittenTemplate> {
  const { companyId, now } = caller;
  const known = await queries.findTemplate(db.points(companyId), companyId, id);
  if (known === undefined) throw notFound(`template ${id}`);
  const { content, design, ...rest } = patch;
  // A patch without content leaves it unchanged; with only a null design, it removes the design.
  const written =
    content === undefined && design == null
      ? { design: design === null ? null : undefined }
      : await contentOf(messaging.renderer, companyId, { content, design, channel: known.channel });
  const changes = Object.fromEntries(
    Object.entries({ ...rest, ...written }).filter(([, value]) => value !== undefined),
  );
  const warnings = await messaging.previewer.warningsOf(companyId, { ...known, ...changes });
  return write(db, caller, async (tx) => {
    const row = await queries.lockTemplate(tx, companyId, id);
    if (row === undefined) throw notFound(`template ${id}`);
    requireRevision(ifMatch, row.revision);
    const next = { ...row, ...changes };
    requireSubject(next);
    return { ...recordOf(await queries.updateTemplate(tx, companyId, next, now)), warnings };
  });
}

function requireSubject({ channel, subject }: Pick<queries.TemplateRow, 'channel' | 'subject'>): void {
  if (channel === 'sms' && subject !== null) throw invalidField('subject', 'An SMS has no subject', 'not_allowed');
}

/** Throws not_found, bad_request while an active campaign or flow uses it. */
async function deleteTemplate(db: Db, caller: Caller, id: number): Promise<{ template_id: number; deleted: true }> {
  return write(db, caller, async (tx) => {
    const use = await queries.findUse(tx, caller.companyId, id);
    if (use !== null) throw new AppError('bad_request', `The template is used by ${use}`);
    if (!(await queries.deleteTemplate(tx, caller.companyId, id))) throw notFound(`template ${id}`);
    return { template_id: id, deleted: true };
  });
}

/** The service passed to the handlers: it holds the database and chooses the lane of each operation. */
export function createTemplatesService(deps: TemplateDeps) {
  const { db } = deps;
  return {
    listTemplates: (companyId: number, query: { channel?: 'email' | 'sms'; page?: number; per_page?: number }) =>
      listTemplates(db.lists(companyId), companyId, query),
    createTemplate: (caller: Caller, input: TemplateInput) => createTemplate(deps, caller, input),
    getTemplate: (companyId: number, id: number) => getTemplate(db.points(companyId), companyId, id),
    updateTemplate: (caller: Caller, id: number, patch: TemplatePatch, ifMatch: IfMatch | null) =>
      updateTemplate(deps, caller, id, patch, ifMatch),
    testTemplate: (caller: Caller, id: number, input: Parameters<typeof testTemplate>[3]) =>
      testTemplate(deps, caller, id, input),
    deleteTemplate: (caller: Caller, id: number) => deleteTemplate(db.points(caller.companyId), caller, id),
  };
}

export type TemplatesService = ReturnType<typeof createTemplatesService>;
