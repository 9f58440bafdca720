import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { found, notFound } from '../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../lib/paging.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import type { Form, FormInput, FormPatch } from './contract.ts';
import { checkSettings } from './form-settings.ts';
import { lookOf } from './look.ts';
import { newPublicId } from './public-id.ts';
import * as queries from './queries.ts';

export { purgeFormRates, purgeSubmissions } from './public/purges.ts';

const DEFAULTS: Omit<queries.FormSettings, 'name'> = {
  list_ids: [],
  channels: ['email'],
  double_opt_in: true,
  fields: [],
  consent_text: '',
  allowed_origins: [],
  success_text: null,
  redirect_url: null,
  language: 'en',
  min_fill_seconds: 0,
  max_per_hour: 500,
  look: {},
};

export interface FormDeps {
  db: Db;
  /** The origin of public pages, without a slash at the end. */
  origin: () => string;
}

export type FormsService = ReturnType<typeof createFormsService>;

/** The service passed to the handlers: it holds the database and chooses the lane of each operation. */
export function createFormsService({ db, origin }: FormDeps) {
  return {
    /** Throws not_found. */
    async getForm(companyId: number, id: number): Promise<Form> {
      return formOf(found(await queries.findForm(db.points(companyId), companyId, id), `form ${id}`), origin());
    },

    /** Newest first. */
    async listForms(companyId: number, query: PageQuery): Promise<Page<Form>> {
      const { page, perPage, skip, take } = pageOf({ per_page: 20, ...query });
      const { total, rows } = await queries.findForms(db.lists(companyId), companyId, { skip, take });
      return { rows: rows.map((row) => formOf(row, origin())), total, page, perPage };
    },

    /** Throws validation_failed. */
    async createForm(caller: Caller, input: FormInput): Promise<Form> {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        const settings = await checkSettings(tx, companyId, { ...DEFAULTS, ...input });
        const id = await queries.insertForm(tx, companyId, { ...settings, public_id: newPublicId() }, now);
        return loadForm(tx, companyId, id, origin());
      });
    },

    /** Throws not_found, validation_failed. */
    async updateForm(caller: Caller, id: number, patch: FormPatch): Promise<Form> {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        const current = found(await queries.lockForm(tx, companyId, id), `form ${id}`);
        const settings = await checkSettings(
          tx,
          companyId,
          { ...current, ...patch, look: { ...current.look, ...patch.look } },
          patch.list_ids === undefined,
        );
        await queries.writeForm(tx, companyId, id, settings, now);
        return loadForm(tx, companyId, id, origin());
      });
    },

    /** Submissions and confirmations of a form by day. Throws not_found. */
    async days(
      companyId: number,
      id: number,
      days: number,
      now: Date,
    ): Promise<{ form_id: number; days: queries.FormDay[] }> {
      const lane = db.lists(companyId);
      found(await queries.findForm(lane, companyId, id), `form ${id}`);
      return { form_id: id, days: await queries.findDays(lane, companyId, id, { days, now }) };
    },

    /** Throws not_found. */
    async deleteForm(caller: Caller, id: number): Promise<{ form_id: number; deleted: boolean }> {
      return write(db, caller, async (tx) => {
        if (!(await queries.removeForm(tx, caller.companyId, id))) throw notFound(`form ${id}`);
        return { form_id: id, deleted: true };
      });
    },
  };
}

async function loadForm(tx: Queryable, companyId: number, id: number, origin: string): Promise<Form> {
  return formOf((await queries.findForm(tx, companyId, id))!, origin);
}

function formOf(row: queries.FormRow, origin: string): Form {
  const { company_id: _company, id, public_id, name, created_at, updated_at, ...rest } = row;
  const page = `${origin}/f/${public_id}`;
  return {
    form_id: id,
    public_id,
    name,
    ...rest,
    look: lookOf(row.look),
    page_url: page,
    embed: `<script src="${page}/embed.js" async></script>`,
    created_at: formatTimestamp(created_at),
    updated_at: formatTimestamp(updated_at),
  };
}
