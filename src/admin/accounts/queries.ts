import type { Role } from '../../access/roles.ts';
import { CLOCK_SKEW_MS } from '../../clock.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';
import { found } from '../../errors.ts';
import type { Person, PersonPatch } from './contract.ts';

export async function findPerson(db: Queryable, id: number): Promise<Person | undefined> {
  const rows = await db.query<Person>(sql`
    select p.id, p.email, p.name, p.language, p.theme, p.password_hash is not null as has_password,
      exists (select from person_totp t where t.person_id = p.id and t.confirmed_at is not null) as has_totp,
      (select count(*)::int from passkeys k where k.person_id = p.id) as passkeys
    from persons p where p.id = ${id}`);
  return rows[0];
}

export interface Credentials {
  id: number;
  password_hash: string | null;
  has_totp: boolean;
  /** Whether they used a link that was mailed to the address and shown to nobody. */
  proven: boolean;
}

export async function findCredentials(db: Queryable, email: string): Promise<Credentials | undefined> {
  const rows = await db.query<Credentials>(sql`
    select p.id, p.password_hash, p.proven_at is not null as proven,
      exists (select from person_totp t where t.person_id = p.id and t.confirmed_at is not null) as has_totp
    from persons p where p.email = ${email}`);
  return rows[0];
}

/** Ascending, the order in which their audit logs are locked. */
export async function findCompaniesOf(db: Queryable, personId: number): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    select company_id from members where person_id = ${personId} order by company_id`);
  return rows.map((row) => row.company_id);
}

/** Returns the hash of the password and keeps it from changing until COMMIT. */
export async function lockPassword(tx: Tx, id: number): Promise<string | null> {
  const rows = await tx.query<{ password_hash: string | null }>(sql`
    select password_hash from persons where id = ${id} for share`);
  return rows[0]?.password_hash ?? null;
}

/** Returns whether the person has proven the address, and whether they belong to a company; locks the person. */
export async function lockStanding(tx: Tx, id: number): Promise<{ proven: boolean; is_member: boolean }> {
  const rows = await tx.query<{ proven: boolean }>(sql`
    select proven_at is not null as proven from persons where id = ${id} for update`);
  const members = await tx.query(sql`select 1 from members where person_id = ${id} limit 1`);
  return { proven: found(rows[0], 'person').proven, is_member: members.length > 0 };
}

/** Records the first proof of the address; returns false if it was proven before. Locks the person. */
export async function recordProof(tx: Tx, id: number, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update persons set proven_at = ${now} where id = ${id} and proven_at is null returning 1`);
  return rows.length > 0;
}

/** Returns the recipient of a link, with the company in whose name it is sent: the first of theirs. */
export async function findAddressee(
  db: Queryable,
  email: string,
): Promise<{ id: number; language: 'en' | 'de'; company_id: number | null } | undefined> {
  const rows = await db.query<{ id: number; language: 'en' | 'de'; company_id: number | null }>(sql`
    select p.id, p.language, (select min(m.company_id) from members m where m.person_id = p.id) as company_id
    from persons p where p.email = ${email}`);
  return rows[0];
}

export async function insertPerson(
  tx: Tx,
  person: { email: string; name: string; passwordHash: string | null; provenAt: Date | null; now: Date },
): Promise<number> {
  const rows = await tx.query<{ id: number }>(sql`
    insert into persons (email, name, password_hash, proven_at, created_at)
    values (${person.email}, ${person.name}, ${person.passwordHash}, ${person.provenAt}, ${person.now}) returning id`);
  return rows[0]!.id;
}

export async function updatePerson(db: Queryable, id: number, patch: PersonPatch): Promise<void> {
  await db.query(sql`
    update persons set name = coalesce(${patch.name ?? null}, name),
      language = coalesce(${patch.language ?? null}, language), theme = coalesce(${patch.theme ?? null}, theme)
    where id = ${id}`);
}

export async function updatePasswordHash(db: Queryable, id: number, hash: string): Promise<void> {
  await db.query(sql`update persons set password_hash = ${hash} where id = ${id}`);
}

/** Does nothing if the hash was changed meanwhile. */
export async function renewPasswordHash(
  db: Queryable,
  id: number,
  hash: { old: string; fresh: string },
): Promise<void> {
  await db.query(sql`
    update persons set password_hash = ${hash.fresh} where id = ${id} and password_hash = ${hash.old}`);
}

/** Serialises the setup of the installation. */
export async function lockSetup(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('owner setup', 0))`);
}

export async function hasOwner(db: Queryable): Promise<boolean> {
  const rows = await db.query<{ found: boolean }>(sql`
    select exists (select from members where role = 'owner') or exists (select from persons where owns_all) as found`);
  return rows[0]!.found;
}

/** Makes the person an owner of every company, including future ones. Returns the companies in the order in which logs are locked. */
export async function makeOwner(tx: Tx, personId: number, now: Date): Promise<number[]> {
  await tx.query(sql`update persons set owns_all = true where id = ${personId}`);
  const rows = await tx.query<{ company_id: number }>(sql`
    with changed as (
      insert into members (company_id, person_id, role, created_at)
      select company_id, ${personId}, 'owner', ${now} from companies order by company_id
      on conflict (company_id, person_id) do update set role = 'owner' returning company_id
    )
    select company_id from changed order by company_id`);
  return rows.map((row) => row.company_id);
}

export interface InvitationRow {
  company_id: number;
  company: string;
  id: number;
  email: string;
  role: Role;
  invited_by: string;
  /** Whether this link was mailed to the address and shown to nobody. */
  mailed: boolean;
}

export async function findInvitation(db: Queryable, hash: Buffer, now: Date): Promise<InvitationRow | undefined> {
  const rows = await db.query<InvitationRow>(sql`
    select i.company_id, c.name as company, i.id, i.email, i.role, i.invited_by, i.mailed and i.hash = ${hash} as mailed
    from invitations i join companies c on c.company_id = i.company_id
    where (i.hash = ${hash} or i.shown_hash = ${hash}) and i.expires_at > ${now} and ${MAY_STILL_INVITE}`);
  return rows[0];
}

/** The operator, or an owner of the company: who was removed, or has another role by now, lets nobody in. */
const MAY_STILL_INVITE = rawSql(`(i.invited_by = 'operator' or exists (
  select from members m where m.company_id = i.company_id and m.role = 'owner' and i.invited_by = 'admin:' || m.person_id))`);

/** Deletes the invitation; returns false if someone else was quicker, or who invited may no longer. */
export async function takeInvitation(tx: Tx, hash: Buffer): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from invitations i where (i.hash = ${hash} or i.shown_hash = ${hash}) and ${MAY_STILL_INVITE} returning 1`);
  return rows.length > 0;
}

/** Keeps the role of an existing member. */
export async function insertMember(
  tx: Tx,
  companyId: number,
  member: { personId: number; role: Role; now: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into members (company_id, person_id, role, created_at)
    values (${companyId}, ${member.personId}, ${member.role}, ${member.now})
    on conflict (company_id, person_id) do nothing returning 1`);
  return rows.length > 0;
}

/**
 * Counts an attempt at the account's password from this network in the current window, which begins with its first attempt. Returns null,
 * or the start of the window if its attempts are used up.
 */
export async function takeAttempt(
  db: Queryable,
  attempt: { account: Buffer; network: string; now: Date; windowMs: number; most: number },
): Promise<Date | null> {
  const { account, network, now, windowMs, most } = attempt;
  const began = new Date(now.getTime() - windowMs);
  // A window in the future was started by a wrong clock.
  const over = sql`(a.window_start <= ${began} or a.window_start > ${new Date(now.getTime() + CLOCK_SKEW_MS)})`;
  const rows = await db.query<{ window_start: Date; attempts: number }>(sql`
    insert into sign_in_attempts as a (account, network, window_start, attempts)
    values (${account}, ${network}, ${now}, 1)
    on conflict (account, network) do update set
      window_start = case when ${over} then excluded.window_start else a.window_start end,
      attempts = case when ${over} then 1 else least(a.attempts + 1, ${most}::int + 1) end
    returning window_start, attempts`);
  const { window_start, attempts } = rows[0]!;
  return attempts > most ? window_start : null;
}

export async function forgetAttempts(db: Queryable, account: Buffer, network: string): Promise<void> {
  await db.query(sql`delete from sign_in_attempts where account = ${account} and network = ${network}`);
}

/** An attempt that was neither right nor wrong does not count. */
export async function returnAttempt(db: Queryable, account: Buffer, network: string): Promise<void> {
  await db.query(sql`
    update sign_in_attempts set attempts = attempts - 1
    where account = ${account} and network = ${network} and attempts > 0`);
}

/** Whether the person has signed in from this network since the given time. */
export async function knowsNetwork(db: Queryable, personId: number, network: string, since: Date): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from person_networks where person_id = ${personId} and network = ${network} and last_at > ${since}`);
  return rows.length > 0;
}

/** Keeps the last hundred networks of a person. */
export async function rememberNetwork(tx: Tx, personId: number, network: string, now: Date): Promise<void> {
  await tx.query(sql`
    with old as (
      delete from person_networks where person_id = ${personId} and network in (
        select network from person_networks where person_id = ${personId} order by last_at desc offset 99))
    insert into person_networks (person_id, network, last_at) values (${personId}, ${network}, ${now})
    on conflict (person_id, network) do update set last_at = excluded.last_at`);
}

export interface AdminRow {
  id: number;
  email: string;
  name: string;
  has_password: boolean;
  has_totp: boolean;
  companies: { company_id: number; role: Role }[];
  last_seen_at: Date | null;
}

/** Returns everyone, ordered by e-mail address. */
export async function listPeople(db: Queryable): Promise<AdminRow[]> {
  return db.query<AdminRow>(sql`
    select p.id, p.email, p.name, p.password_hash is not null as has_password,
      exists (select from person_totp t where t.person_id = p.id and t.confirmed_at is not null) as has_totp,
      coalesce((select jsonb_agg(jsonb_build_object('company_id', m.company_id, 'role', m.role) order by m.company_id)
        from members m where m.person_id = p.id), '[]') as companies,
      (select max(last_seen_at) from admin_sessions s where s.person_id = p.id) as last_seen_at
    from persons p order by p.email`);
}

/** Sets the role in one company, or in all if none is given. Returns the companies in the order in which logs are locked. */
export async function setRole(
  tx: Tx,
  member: { personId: number; companyId: number | null; role: Role; now: Date },
): Promise<number[]> {
  const { personId, companyId, role, now } = member;
  if (companyId === null && role === 'owner') return makeOwner(tx, personId, now);
  const rows = await tx.query<{ company_id: number }>(sql`
    with changed as (
      insert into members (company_id, person_id, role, created_at)
      select company_id, ${personId}, ${role}, ${now} from companies
      where ${companyId}::bigint is null or company_id = ${companyId} order by company_id
      on conflict (company_id, person_id) do update set role = excluded.role returning company_id
    )
    select company_id from changed order by company_id`);
  return rows.map((row) => row.company_id);
}

/** Deletes password, authenticator app, recovery codes, passkeys and the networks that the person is known by. */
export async function deleteCredentials(tx: Tx, personId: number): Promise<void> {
  await tx.query(sql`update persons set password_hash = null where id = ${personId}`);
  await tx.query(sql`delete from person_totp where person_id = ${personId}`);
  await tx.query(sql`delete from recovery_codes where person_id = ${personId}`);
  await tx.query(sql`delete from passkeys where person_id = ${personId}`);
  await tx.query(sql`delete from person_networks where person_id = ${personId}`);
}

/** Returns all their companies, in the order in which several logs are locked. */
export async function companiesOf(tx: Tx, personId: number): Promise<number[]> {
  const rows = await tx.query<{ company_id: number }>(sql`
    select company_id from members where person_id = ${personId} order by company_id`);
  return rows.map(({ company_id }) => company_id);
}
