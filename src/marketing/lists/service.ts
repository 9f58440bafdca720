import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { notFound } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import type { List, ListInput, ListPatch, MembersAdded } from './contract.ts';
import { addMembers, removeMembers } from './members.ts';
import * as queries from './queries.ts';

export {
  addPendingMemberships,
  claimUnconfirmed,
  confirmMemberships,
  type Unconfirmed,
} from './confirmation-queries.ts';
export {
  changeMemberships,
  confirmPending,
  joinLists,
  leaveLists,
  loadMemberships,
  type MembershipChange,
  returnToLists,
} from './memberships.ts';
export { findListSettings, type ListSettings } from './queries.ts';

/** Throws not_found. */
async function getList(db: Queryable, companyId: number, id: number): Promise<List> {
  const row = await queries.findList(db, companyId, id);
  if (row === undefined) throw notFound(`list ${id}`);
  return listOf(row);
}

async function createList(db: Db, caller: Caller, input: ListInput): Promise<List> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    const id = await queries.insertList(tx, companyId, {
      name: input.name,
      description: input.description ?? '',
      doubleOptIn: input.double_opt_in ?? false,
      internal: input.internal ?? false,
      now,
    });
    return getList(tx, companyId, id);
  });
}

/** Newest first. */
async function listLists(
  db: Queryable,
  companyId: number,
  query: { page?: number; per_page?: number },
): Promise<Page<List>> {
  const { page, perPage, ...bounds } = pageOf(query);
  const { total, rows } = await queries.findLists(db, companyId, bounds);
  return { rows: rows.map(listOf), total, page, perPage };
}

/** Throws not_found. */
async function updateList(db: Db, caller: Caller, id: number, patch: ListPatch): Promise<List> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    await queries.updateList(tx, companyId, id, {
      name: patch.name,
      description: patch.description === null ? '' : patch.description,
      doubleOptIn: patch.double_opt_in,
      internal: patch.internal,
      now,
    });
    return getList(tx, companyId, id);
  });
}

/** Removes the list at once; a worker deletes its memberships later. Throws not_found. */
async function deleteList(db: Db, caller: Caller, id: number): Promise<{ list_id: number; deleted: boolean }> {
  return write(db, caller, async (tx) => {
    if (!(await queries.markDeleted(tx, caller.companyId, id, caller.now))) throw notFound(`list ${id}`);
    return { list_id: id, deleted: true };
  });
}

function listOf(row: queries.ListRow): List {
  return {
    list_id: row.id,
    name: row.name,
    description: row.description,
    double_opt_in: row.double_opt_in,
    internal: row.internal,
    counts: { active: row.active, pending: row.pending, unsubscribed: row.unsubscribed },
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

/** The service passed to the handlers: it holds the database and chooses the lane of each operation. */
export function createListsService({ db }: { db: Db }) {
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
