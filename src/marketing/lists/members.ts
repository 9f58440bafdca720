import { isIP } from 'node:net';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { invalidField, notFound } from '../../errors.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import { parseTimestamp } from '../../lib/timestamps.ts';
import { sourceOf } from '../../recipients/consent.ts';
import { MAX_MEMBERS, type MembersAdded } from './contract.ts';
import type { Consent } from './membership.ts';
import * as membershipQueries from './membership-queries.ts';
import { changeMemberships } from './memberships.ts';
import { findListSettings } from './queries.ts';

/** Contacts in the request that do not exist. */
export interface NotFound {
  contact_ids: number[];
  emails: string[];
}

/** Throws not_found for the list, validation_failed for no or too many contacts or an invalid time. */
export async function addMembers(
  db: Db,
  caller: Caller,
  listId: number,
  input: MembersAdded,
): Promise<{ list_id: number; added: number; unchanged: number; not_found: NotFound }> {
  const consent = consentOf(input, caller);
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
  const [list] = await findListSettings(tx, companyId, [listId]);
  if (list === undefined) throw notFound(`list ${listId}`);
  const normalised = new Map(emails.map((email) => [email, normaliseEmail(email)]));
  const known = [...normalised.values()].filter((email) => email !== null);
  const rows = await membershipQueries.findMembers(tx, companyId, { ids, emails: known });
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

function consentOf({ consent = {} }: MembersAdded, caller: Caller): Consent {
  const at = consent.at === undefined ? caller.now : parseTimestamp(consent.at);
  if (at === null) throw invalidField('consent.at', 'consent.at must be a time, YYYY-MM-DD HH:MM:SS', 'wrong_format');
  if (consent.ip !== undefined && isIP(consent.ip) === 0) {
    throw invalidField('consent.ip', 'consent.ip must be an IP address', 'wrong_format');
  }
  return { at, source: consent.source ?? sourceOf(caller), ip: consent.ip ?? null };
}
