import type { Role } from '../../access/roles.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export interface MemberRow {
  id: number;
  email: string;
  name: string;
  role: Role;
  has_totp: boolean;
  passkeys: number;
  created_at: Date;
  last_seen_at: Date | null;
}

/** By name; only one of them if an id is given. */
export async function listMembers(db: Queryable, companyId: number, id: number | null): Promise<MemberRow[]> {
  return db.query<MemberRow>(sql`
    select p.id, p.email, p.name, m.role, m.created_at,
      exists (select from person_totp t where t.person_id = p.id and t.confirmed_at is not null) as has_totp,
      (select count(*)::int from passkeys k where k.person_id = p.id) as passkeys,
      (select max(last_seen_at) from admin_sessions s where s.person_id = p.id) as last_seen_at
    from members m join persons p on p.id = m.person_id
    where m.company_id = ${companyId} and (${id}::bigint is null or p.id = ${id})
    order by p.name, p.id limit 1000`);
}

/** Returns the owners, locked in the order of their ids, so that if two leave at once, one stays. */
export async function lockOwners(tx: Tx, companyId: number): Promise<number[]> {
  const rows = await tx.query<{ person_id: number }>(sql`
    select person_id from members where company_id = ${companyId} and role = 'owner' order by person_id for update`);
  return rows.map((row) => row.person_id);
}

export async function updateRole(tx: Tx, companyId: number, personId: number, role: Role): Promise<void> {
  await tx.query(sql`
    update members set role = ${role} where company_id = ${companyId} and person_id = ${personId}`);
}

export async function deleteMember(tx: Tx, companyId: number, personId: number): Promise<void> {
  await tx.query(sql`delete from members where company_id = ${companyId} and person_id = ${personId}`);
}

/** The person's open invitations into the company. */
export async function deleteInvitationsBy(tx: Tx, companyId: number, personId: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from invitations where company_id = ${companyId} and invited_by = 'admin:' || ${personId}::bigint returning 1`);
  return rows.length;
}

export async function countInvitations(tx: Tx, companyId: number): Promise<number> {
  const rows = await tx.query<{ n: number }>(sql`
    select count(*)::int as n from invitations where company_id = ${companyId}`);
  return rows[0]!.n;
}

export async function isMember(db: Queryable, companyId: number, email: string): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from members m join persons p on p.id = m.person_id where m.company_id = ${companyId} and p.email = ${email}`);
  return rows.length > 0;
}

export interface InvitationRow {
  id: number;
  email: string;
  role: Role;
  invited_by: string;
  created_at: Date;
  expires_at: Date;
}

/** Latest first, with the names of the inviters. */
export async function listInvitations(db: Queryable, companyId: number, now: Date): Promise<InvitationRow[]> {
  return db.query<InvitationRow>(sql`
    select i.id, i.email, i.role, coalesce(p.name, i.invited_by) as invited_by, i.created_at, i.expires_at
    from invitations i left join persons p on i.invited_by = 'admin:' || p.id
    where i.company_id = ${companyId} and i.expires_at > ${now} order by i.id desc limit 1000`);
}

/** Replaces an invitation for the same address. */
export async function insertInvitation(
  tx: Tx,
  companyId: number,
  invitation: {
    email: string;
    role: Role;
    hash: Buffer;
    /** Of the link that the inviter sees. */
    shownHash: Buffer;
    mailed: boolean;
    invitedBy: string;
    now: Date;
    expiresAt: Date;
  },
): Promise<number> {
  const { email, role, hash, shownHash, mailed, invitedBy, now, expiresAt } = invitation;
  await tx.query(sql`
    delete from invitations where company_id = ${companyId} and (email = ${email} or expires_at <= ${now})`);
  const rows = await tx.query<{ id: number }>(sql`
    insert into invitations (company_id, email, role, hash, shown_hash, mailed, invited_by, created_at, expires_at)
    values (${companyId}, ${email}, ${role}, ${hash}, ${shownHash}, ${mailed}, ${invitedBy}, ${now}, ${expiresAt}) returning id`);
  return rows[0]!.id;
}

export async function deleteInvitation(tx: Tx, companyId: number, id: number): Promise<InvitationRow | undefined> {
  const rows = await tx.query<InvitationRow>(sql`
    delete from invitations where company_id = ${companyId} and id = ${id}
    returning id, email, role, invited_by, created_at, expires_at`);
  return rows[0];
}

/** Returns the language of the inviter; English for the operator. */
export async function languageOf(db: Queryable, personId: number | null): Promise<'en' | 'de'> {
  const rows = await db.query<{ language: 'en' | 'de' }>(sql`select language from persons where id = ${personId}`);
  return rows[0]?.language ?? 'en';
}
