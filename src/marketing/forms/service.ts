import { randomBytes } from 'node:crypto';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { found, invalidField, notFound } from '../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../lib/paging.ts';
import { findListSettings } from '../lists/service.ts';
import { formatTimestamp } from '../time.ts';
import type { Form, FormInput, FormPatch } from './contract.ts';
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
};

/** `origin`: where public pages are, without a slash at the end. */
export interface FormDeps {
  db: Db;
  origin: () => string;
}

/** Throws not_found. */
export async function getForm({ db, origin }: FormDeps, companyId: number, id: number): Promise<Form> {
  return formOf(found(await queries.findForm(db.points(companyId), companyId, id), `form ${id}`), origin());
}

/** Newest first. */
export async function listForms({ db, origin }: FormDeps, companyId: number, query: PageQuery): Promise<Page<Form>> {
  const { page, perPage, skip, take } = pageOf({ per_page: 20, ...query });
  const { total, rows } = await queries.findForms(db.lists(companyId), companyId, { skip, take });
  return { rows: rows.map((row) => formOf(row, origin())), total, page, perPage };
}

/** Throws validation_failed. */
export async function createForm({ db, origin }: FormDeps, caller: Caller, input: FormInput): Promise<Form> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    const settings = await checked(tx, companyId, { ...DEFAULTS, ...input });
    // 96 bits: nobody counts through the forms of others.
    const public_id = randomBytes(12).toString('base64url');
    const id = await queries.insertForm(tx, companyId, { ...settings, public_id }, now);
    return read(tx, companyId, id, origin());
  });
}

/** Throws not_found, validation_failed. */
export async function updateForm(
  { db, origin }: FormDeps,
  caller: Caller,
  id: number,
  patch: FormPatch,
): Promise<Form> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    const current = found(await queries.lockForm(tx, companyId, id), `form ${id}`);
    const settings = await checked(tx, companyId, { ...current, ...patch }, patch.list_ids === undefined);
    await queries.writeForm(tx, companyId, id, settings, now);
    return read(tx, companyId, id, origin());
  });
}

/** Throws not_found. */
export async function deleteForm(
  { db }: FormDeps,
  caller: Caller,
  id: number,
): Promise<{ form_id: number; deleted: boolean }> {
  return write(db, caller, async (tx) => {
    if (!(await queries.removeForm(tx, caller.companyId, id))) throw notFound(`form ${id}`);
    return { form_id: id, deleted: true };
  });
}

async function read(tx: Queryable, companyId: number, id: number, origin: string): Promise<Form> {
  return formOf((await queries.findForm(tx, companyId, id))!, origin);
}

/** `listsKnown`: a list of before may have been deleted since; people do not come on it then. */
async function checked(
  tx: Tx,
  companyId: number,
  settings: queries.FormSettings,
  listsKnown = false,
): Promise<queries.FormSettings> {
  if (!listsKnown) {
    const known = new Set((await findListSettings(tx, companyId, settings.list_ids)).map((list) => list.id));
    const unknown = settings.list_ids.find((id) => !known.has(id));
    if (unknown !== undefined) throw invalidField('list_ids', `list_ids: there is no list ${unknown}`, 'not_found');
  }
  const names = settings.fields.map(({ name }) => name);
  if (new Set(names).size < names.length) throw invalidField('fields', 'fields name a field twice', 'duplicate');
  const origins = [...new Set(settings.allowed_origins.map(originOf))];
  const { redirect_url: redirect } = settings;
  if (redirect !== null && !isOn(redirect, origins)) {
    throw invalidField('redirect_url', 'redirect_url must be an address on one of allowed_origins', 'not_allowed');
  }
  return { ...settings, channels: [...new Set(settings.channels)], allowed_origins: origins };
}

function originOf(text: string, index: number): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && ['http:', 'https:'].includes(url.protocol) && url.pathname === '/';
  if (!isOrigin || `${url.search}${url.hash}${url.username}${url.password}` !== '') {
    throw invalidField(
      `allowed_origins.${index}`,
      'allowed_origins: https://shop.example, without a path',
      'wrong_format',
    );
  }
  return url.origin;
}

function isOn(redirect: string, origins: string[]): boolean {
  if (!URL.canParse(redirect)) return false;
  const { origin, protocol, username, password } = new URL(redirect);
  return ['http:', 'https:'].includes(protocol) && username + password === '' && origins.includes(origin);
}

function formOf(row: queries.FormRow, origin: string): Form {
  const { company_id: _company, id, public_id, name, created_at, updated_at, ...rest } = row;
  const page = `${origin}/f/${public_id}`;
  return {
    form_id: id,
    public_id,
    name,
    ...rest,
    page_url: page,
    embed: `<script src="${page}/embed.js" async></script>`,
    created_at: formatTimestamp(created_at),
    updated_at: formatTimestamp(updated_at),
  };
}
