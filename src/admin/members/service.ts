import { recordAuditEntry } from '../../access/audit.ts';
import { deleteSessionsOf, listSessionsOf } from '../../access/session-queries.ts';
import type { Session } from '../../access/sessions.ts';
import { hashOf, newSecret } from '../../access/sessions.ts';
import type { Caller } from '../../caller.ts';
import type { Clock } from '../../clock.ts';
import { write, writeForInstallation } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { AppError, found, invalidField } from '../../errors.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import type { Notices } from '../../messaging/notices/notices.ts';
import { invitationNotice, signInAddress } from '../accounts/notices.ts';
import { companiesOf } from '../accounts/queries.ts';
import { sessionRecords } from '../accounts/session-records.ts';
import { takeInvitationAttempt } from '../accounts/sign-in.ts';
import type { Invitation, InvitationInput, Member, MemberSession, NewInvitation } from './contract.ts';
import * as queries from './queries.ts';

const INVITED_MS = 7 * 86_400_000;
const MAX_INVITATIONS = 20;

export interface MembersDeps {
  db: Db;
  machineClock: Clock;
  origin: () => string;
  /** Whether mail leaves this server. */
  hasMail: boolean;
  notices: Notices;
}

export type MembersService = ReturnType<typeof createMembersService>;

/** Who may see a company in the admin app, with which role, and who is invited. */
export function createMembersService({ db, machineClock, origin, hasMail, notices }: MembersDeps) {
  async function memberOf(companyId: number, id: number): Promise<Member> {
    const [row] = await queries.listMembers(db.points(companyId), companyId, id);
    return memberRecord(found(row, 'member'));
  }

  function record(tx: Tx, caller: Caller, action: string, target: string, details: Record<string, unknown>) {
    return recordAuditEntry(tx, caller.companyId, { at: caller.now, actor: caller.actor, action, target, details });
  }

  /** Throws validation_failed if the company would be left without an owner. */
  async function requireAnotherOwner(tx: Tx, companyId: number, id: number): Promise<void> {
    const owners = await queries.lockOwners(tx, companyId);
    if (owners.length === 1 && owners[0] === id) {
      throw invalidField('role', 'This is the only owner. Make another member an owner first', 'last_owner');
    }
  }

  return {
    async listMembers(companyId: number): Promise<{ members: Member[] }> {
      const rows = await queries.listMembers(db.lists(companyId), companyId, null);
      return { members: rows.map(memberRecord) };
    },

    /** Throws not_found, validation_failed. */
    async updateMember(caller: Caller, id: number, role: Member['role']): Promise<Member> {
      const before = await memberOf(caller.companyId, id);
      return write(db, caller, async (tx) => {
        if (role !== 'owner') await requireAnotherOwner(tx, caller.companyId, id);
        await queries.updateRole(tx, caller.companyId, id, role);
        if (role !== 'owner') await queries.deleteInvitationsBy(tx, caller.companyId, id);
        await record(tx, caller, 'member.update', `person:${id}`, { role, before: { role: before.role } });
        return { ...before, role };
      });
    },

    /** Returns the member as it was. Throws not_found, validation_failed. */
    async removeMember(caller: Caller, id: number): Promise<Member> {
      const before = await memberOf(caller.companyId, id);
      return write(db, caller, async (tx) => {
        await requireAnotherOwner(tx, caller.companyId, id);
        await queries.deleteMember(tx, caller.companyId, id);
        await queries.deleteInvitationsBy(tx, caller.companyId, id);
        const { email, role } = before;
        await record(tx, caller, 'member.delete', `person:${id}`, { before: { email, role } });
        return before;
      });
    },

    /** Lists the sessions of a member. Throws not_found. */
    async listSessions(
      companyId: number,
      id: number,
      { id: current }: Session,
    ): Promise<{ sessions: MemberSession[] }> {
      await memberOf(companyId, id);
      return { sessions: sessionRecords(await listSessionsOf(db.strangers, id, machineClock.now()), current) };
    },

    /** Ends a member's sessions, except that of the requester. Throws not_found. */
    async endSessions(caller: Caller, id: number, { id: current }: Session): Promise<{ ended: number }> {
      await memberOf(caller.companyId, id);
      return writeForInstallation(db, caller, async (tx) => {
        const ended = await deleteSessionsOf(tx, id, current);
        const { now: at, actor } = caller;
        const entry = { at, actor, action: 'member.end_sessions', target: `person:${id}`, details: { ended } };
        // It also signs them out of their other companies, so the owners there find it in their own logs.
        for (const company of await companiesOf(tx, id)) await recordAuditEntry(tx, company, entry);
        return { ended };
      });
    },

    async listInvitations(companyId: number): Promise<{ invitations: Invitation[] }> {
      const rows = await queries.listInvitations(db.lists(companyId), companyId, machineClock.now());
      return { invitations: rows.map(invitationRecord) };
    },

    /** The URL that is shown is not the one that is mailed, because only a link that nobody else knows proves the address. Throws validation_failed, duplicate, rate_limited. */
    async invite(
      caller: Caller,
      session: Session,
      { email: given, role, language: chosen }: InvitationInput,
    ): Promise<NewInvitation> {
      const email = normaliseEmail(given);
      if (email === null) throw invalidField('email', 'email must be an e-mail address');
      const { companyId } = caller;
      if (await queries.isMember(db.points(companyId), companyId, email)) {
        throw new AppError('duplicate', 'There is a member with this e-mail address already');
      }
      const mailed = newSecret();
      const shown = newSecret();
      const now = machineClock.now();
      const expiresAt = new Date(now.getTime() + INVITED_MS);
      const { name: inviter } = session;
      const company = session.memberships.find(({ company_id }) => company_id === companyId)?.name ?? '';
      const language = chosen ?? (await queries.languageOf(db.strangers, session.personId));
      const invitation = await write(db, caller, async (tx) => {
        const hashes = { hash: hashOf(mailed), shownHash: hashOf(shown) };
        const invitation = { email, role, ...hashes, mailed: hasMail, invitedBy: caller.actor, now, expiresAt };
        const id = await queries.insertInvitation(tx, companyId, invitation);
        await record(tx, caller, 'invitation.create', `invitation:${id}`, { email, role });
        if ((await queries.countInvitations(tx, companyId)) > MAX_INVITATIONS) {
          throw invalidField('email', `There are ${MAX_INVITATIONS} open invitations: withdraw one first`, 'too_many');
        }
        await takeInvitationAttempt(db.strangers, email, companyId, now);
        const row = { id, email, role, invited_by: inviter, created_at: now, expires_at: expiresAt };
        return { ...invitationRecord(row), url: signInAddress(origin(), shown), sent: false };
      });
      const url = signInAddress(origin(), mailed);
      const notice = invitationNotice(language, { to: email, inviter, company, url });
      return { ...invitation, sent: await notices.send(companyId, notice) };
    },

    /** Throws not_found. */
    async takeBackInvitation(caller: Caller, id: number): Promise<Invitation> {
      return write(db, caller, async (tx) => {
        const row = found(await queries.deleteInvitation(tx, caller.companyId, id), 'invitation');
        const before = { email: row.email, role: row.role };
        await record(tx, caller, 'invitation.delete', `invitation:${id}`, { before });
        return invitationRecord(row);
      });
    },
  };
}

function memberRecord({ created_at, last_seen_at, ...row }: queries.MemberRow): Member {
  return { ...row, created_at: created_at.toISOString(), last_seen_at: last_seen_at?.toISOString() ?? null };
}

function invitationRecord({ created_at, expires_at, ...row }: queries.InvitationRow): Invitation {
  return { ...row, created_at: created_at.toISOString(), expires_at: expires_at.toISOString() };
}
