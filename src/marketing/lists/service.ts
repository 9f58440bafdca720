import { isIP } from 'node:net';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { invalidField, notFound } from '../../errors.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { formatTimestamp, parseTimestamp } from '../time.ts';
import { type List, type ListInput, type ListPatch, MAX_MEMBERS, type MembersAdded } from './contract.ts';
import type { Consent } from './membership.ts';
import { changeMemberships } from './memberships.ts';
import * as queries from './queries.ts';

export {
  awaitConfirmation,
  changeMemberships,
  confirmAll,
  confirmPending,
  findListSettings,
  joinLists,
  type ListSettings,
  leaveLists,
  loadMemberships,
  type MembershipChange,
  type MembershipStatus,
  pendingConfirmations,
  returnToLists,
  type Unconfirmed,
} from './memberships.ts';

/** Throws not_found. */
export async function getList(db: Queryable, companyId: number, id: number): Promise<List> {
  const row = await queries.findList(db, companyId, id);
  if (row === undefined) throw notFound(`list ${id}`);
  return listOf(row);
}

export async function createList(db: Db, caller: Caller, input: ListInput): Promise<List> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    const id = await queries.insertList(tx, companyId, {
      name: input.name,
      description: input.description ?? '',
      doubleOptIn: input.double_opt_in ?? false,
      now,
    });
    return getList(tx, companyId, id);
  });
}

/** Newest first. */
export async function listLists(
  db: Queryable,
  companyId: number,
  query: { page?: number; per_page?: number },
): Promise<Page<List>> {
  const { page, perPage } = pageOf(query);
  const { total, rows } = await queries.findLists(db, companyId, { skip: (page - 1) * perPage, take: perPage });
  return { rows: rows.map(listOf), total, page, perPage };
}

/** Throws not_found. */
export async function updateList(db: Db, caller: Caller, id: number, patch: ListPatch): Promise<List> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    await queries.updateList(tx, companyId, id, {
      name: patch.name,
      description: patch.description === null ? '' : patch.description,
      doubleOptIn: patch.double_opt_in,
      now,
    });
    return getList(tx, companyId, id);
  });
}

/** Gone for everybody at once; a worker takes its memberships away. Throws not_found. */
export async function deleteList(db: Db, caller: Caller, id: number): Promise<{ list_id: number; deleted: boolean }> {
  return write(db, caller, async (tx) => {
    if (!(await queries.markDeleted(tx, caller.companyId, id, caller.now))) throw notFound(`list ${id}`);
    return { list_id: id, deleted: true };
  });
}

export interface NotFound {
  contact_ids: number[];
  emails: string[];
}

/** Throws not_found for the list, validation_failed for no or too many contacts and a moment that cannot be read. */
export async function addMembers(
  db: Db,
  caller: Caller,
  listId: number,
  input: MembersAdded,
): Promise<{ list_id: number; added: number; unchanged: number; not_found: NotFound }> {
  const consent = consentOf(input, caller.now);
  return write(db, caller, async (tx) => {
    const found = await findMembers(tx, caller.companyId, listId, input);
    const changes = found.ids.map((contactId) => ({ contactId, listId, action: 'add' as const }));
    const added = (await changeMemberships(tx, caller.companyId, changes, caller.now, consent)).length;
    return { list_id: listId, added, unchanged: found.ids.length - added, not_found: found.missing };
  });
}

/** Throws not_found for the list, validation_failed for no or too many contacts. */
export async function removeMembers(
  db: Db,
  caller: Caller,
  listId: number,
  input: { contact_ids?: number[]; emails?: string[] },
): Promise<{ list_id: number; removed: number; unchanged: number; not_found: NotFound }> {
  return write(db, caller, async (tx) => {
    const found = await findMembers(tx, caller.companyId, listId, input);
    const changes = found.ids.map((contactId) => ({ contactId, listId, action: 'remove' as const }));
    const removed = (await changeMemberships(tx, caller.companyId, changes, caller.now)).length;
    return { list_id: listId, removed, unchanged: found.ids.length - removed, not_found: found.missing };
  });
}

async function findMembers(
  tx: Tx,
  companyId: number,
  listId: number,
  input: { contact_ids?: number[]; emails?: string[] },
): Promise<{ ids: number[]; missing: NotFound }> {
  const ids = [...new Set(input.contact_ids)];
  const emails = [...new Set(input.emails)];
  if (ids.length + emails.length === 0) {
    throw invalidField('contact_ids', 'contact_ids or emails must name at least one contact', 'required');
  }
  if (ids.length + emails.length > MAX_MEMBERS) {
    throw invalidField('contact_ids', `contact_ids and emails name at most ${MAX_MEMBERS} contacts`, 'too_long');
  }
  const [list] = await queries.findListSettings(tx, companyId, [listId]);
  if (list === undefined) throw notFound(`list ${listId}`);
  const normalised = new Map(emails.map((email) => [email, normaliseEmail(email)]));
  const known = [...normalised.values()].filter((email) => email !== null);
  const rows = await queries.findMembers(tx, companyId, { ids, emails: known });
  const foundIds = new Set(rows.map((row) => row.id));
  const foundEmails = new Set(rows.map((row) => row.email));
  return {
    ids: [...foundIds],
    missing: {
      contact_ids: ids.filter((id) => !foundIds.has(id)),
      emails: emails.filter((email) => !foundEmails.has(normalised.get(email) ?? '')),
    },
  };
}

function consentOf({ consent = {} }: MembersAdded, now: Date): Consent {
  const at = consent.at === undefined ? now : parseTimestamp(consent.at);
  if (at === null) throw invalidField('consent.at', 'consent.at must be a time, YYYY-MM-DD HH:MM:SS', 'wrong_format');
  if (consent.ip !== undefined && isIP(consent.ip) === 0) {
    throw invalidField('consent.ip', 'consent.ip must be an IP address', 'wrong_format');
  }
  return { at, source: consent.source ?? 'api', ip: consent.ip ?? null };
}

function listOf(row: queries.ListRow): List {
  return {
    list_id: row.id,
    name: row.name,
    description: row.description,
    double_opt_in: row.double_opt_in,
    counts: { active: row.active, pending: row.pending, unsubscribed: row.unsubscribed },
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

/** The service as handlers are given it: it holds the database, and takes the lane that each read needs. */
export function createListsService(deps: { db: Db }) {
  const { db } = deps;
  return {
    listLists: (companyId: number, query: { page?: number; per_page?: number }) =>
      listLists(db.lists(companyId), companyId, query),
    createList: (caller: Caller, input: ListInput) => createList(db.points(caller.companyId), caller, input),
    getList: (companyId: number, id: number) => getList(db.points(companyId), companyId, id),
    updateList: (caller: Caller, id: number, patch: ListPatch) =>
      updateList(db.points(caller.companyId), caller, id, patch),
    deleteList: (caller: Caller, id: number) => deleteList(db.points(caller.companyId), caller, id),
    addMembers: (caller: Caller, listId: number, input: MembersAdded) =>
      addMembers(db.points(caller.companyId), caller, listId, input),
    removeMembers: (caller: Caller, listId: number, input: { contact_ids?: number[]; emails?: string[] }) =>
      removeMembers(db.points(caller.companyId), caller, listId, input),
  };
}

export type ListsService = ReturnType<typeof createListsService>;
