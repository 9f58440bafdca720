import { recordAuditEntry } from '../../access/audit.ts';
import type { Role } from '../../access/roles.ts';
import { deleteSessionsOf } from '../../access/session-queries.ts';
import { issueLink } from '../../access/sessions.ts';
import type { Db } from '../../db/pool.ts';
import { AppError, found, invalidField, notFound } from '../../errors.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import * as queries from './queries.ts';

export interface NewAdmin {
  email: string;
  name: string;
  role: Role;
  /** null: all companies. */
  companyId: number | null;
  now: Date;
}

/**
 * Creates a person and the token of a link to choose a password. Someone who has an account gets the role in one company more: this is the
 * only way for an account whose address was never proven, which loses its sessions and credentials first. Throws validation_failed,
 * duplicate, not_found.
 */
export async function createAdmin(
  db: Db,
  given: NewAdmin,
): Promise<{ id: number; email: string; token: string | null }> {
  const email = normaliseEmail(given.email);
  if (email === null) throw invalidField('email', `${given.email} is not an e-mail address`);
  const { name, role, companyId, now } = given;
  return db.tx(async (tx) => {
    const known = await queries.findCredentials(tx, email);
    if (known !== undefined && (companyId === null || (await queries.companiesOf(tx, known.id)).includes(companyId))) {
      throw new AppError('duplicate', `There is an account for ${email} already`);
    }
    const isProven = known?.proven === true;
    const id = known?.id ?? (await queries.insertPerson(tx, { email, name, passwordHash: null, provenAt: null, now }));
    if (known !== undefined && !isProven) {
      await queries.deleteCredentials(tx, id);
      await deleteSessionsOf(tx, id, null);
    }
    const companies = await queries.setRole(tx, { personId: id, companyId, role, now });
    if (companies.length === 0 && companyId !== null) throw notFound(`company ${companyId}`);
    for (const company of companies) {
      const entry = {
        at: now,
        actor: 'cli',
        action: 'member.create',
        target: `person:${id}`,
        details: { role, email },
      };
      await recordAuditEntry(tx, company, entry);
    }
    const token = isProven ? null : await issueLink(tx, { kind: 'set_password', personId: id, now });
    return { id, email, token };
  });
}

/** Ends the person's sessions and deletes all their credentials. Returns the token of a link to choose a password. */
export async function resetAdmin(
  db: Db,
  address: string,
  now: Date,
): Promise<{ id: number; sessions: number; token: string }> {
  const email = normaliseEmail(address) ?? address;
  return db.tx(async (tx) => {
    const { id } = found(await queries.findCredentials(tx, email), `account ${address}`);
    await queries.deleteCredentials(tx, id);
    const sessions = await deleteSessionsOf(tx, id, null);
    const person = (await queries.listPeople(tx)).find((one) => one.id === id);
    for (const { company_id } of person?.companies ?? []) {
      await recordAuditEntry(tx, company_id, { at: now, actor: 'cli', action: 'person.reset', target: `person:${id}` });
    }
    return { id, sessions, token: await issueLink(tx, { kind: 'set_password', personId: id, now }) };
  });
}

export const listAdmins = queries.listPeople;
