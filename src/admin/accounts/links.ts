import { recordAuditEntry } from '../../access/audit.ts';
import { isCommonPassword } from '../../access/passwords/common-passwords.ts';
import { deleteSessionsOf } from '../../access/session-queries.ts';
import { hashOf, lookAtLink, type Session, takeCode, takeLink } from '../../access/sessions.ts';
import { constraintOf, type Tx } from '../../db/pool.ts';
import { AppError, found, invalidField } from '../../errors.ts';
import type { Visitor } from '../../http/api/endpoint.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import type { LinkUse } from './contract.ts';
import { proveAddress } from './proof.ts';
import * as queries from './queries.ts';
import { type Checked, checkCode, checkCredentials, NO_COMPANY, requireUnchanged, type SignInDeps } from './sign-in.ts';
import { failedSignIn, recordPassword } from './sign-in-entries.ts';

const MIN_PASSWORD = 15;

/** Starts a session that replaces the browser's previous one, and returns its secret. */
type Begin = (tx: Tx, visitor: Visitor, personId: number | null) => Promise<string>;

/** Throws validation_failed. */
export function checkPassword(password: string | undefined, names: string[]): asserts password is string {
  if (password === undefined) throw invalidField('password', 'password is required', 'required');
  if (password.length < MIN_PASSWORD)
    throw invalidField('password', `password must have at least ${MIN_PASSWORD} characters`, 'too_short');
  if (isCommonPassword(password, names)) throw invalidField('password', 'This password is too common', 'too_common');
}

export function spent(): AppError {
  return new AppError('invalid_link', 'This link was used before or has expired');
}

/** What the links of the sign-in page do: of the terminal, of e-mails, of invitations. Each returns the secret of a new session. */
export function createLinks(deps: SignInDeps, begin: Begin) {
  const { db, passwords, machineClock } = deps;

  async function insertPerson(tx: Tx, given: LinkUse, hash: string, provenAt: Date | null): Promise<number> {
    const email = given.email === undefined ? null : normaliseEmail(given.email);
    if (email === null) throw invalidField('email', 'email must be an e-mail address');
    if (given.name === undefined) throw invalidField('name', 'name is required', 'required');
    try {
      const person = { email, name: given.name, passwordHash: hash, provenAt, now: machineClock.now() };
      return await tx.savepoint(() => queries.insertPerson(tx, person));
    } catch (error) {
      if (constraintOf(error) !== 'persons_email_key') throw error;
      throw new AppError('duplicate', 'There is an account with this e-mail address already');
    }
  }

  /** Creates the first owner, of all companies. */
  async function setUp(tx: Tx, given: LinkUse, hash: string): Promise<number> {
    const id = await insertPerson(tx, given, hash, null);
    const now = machineClock.now();
    for (const companyId of await queries.makeOwner(tx, id, now)) {
      const details = { role: 'owner', email: given.email };
      const entry = { at: now, actor: `admin:${id}`, action: 'member.create', target: `person:${id}`, details };
      await recordAuditEntry(tx, companyId, entry);
    }
    return id;
  }

  /** Throws second_factor_required, wrong_credentials, rate_limited, invalid_link after the link's last code. */
  async function requireSecondFactor(token: string, email: string, visitor: Visitor, code?: string): Promise<void> {
    const { id: personId, has_totp } = found(await queries.findCredentials(db.strangers, email), 'person');
    if (!has_totp) return;
    if (code === undefined) throw new AppError('second_factor_required', 'Enter the code of your authenticator app');
    if (!(await takeCode(db.strangers, token))) throw spent();
    const onWrong = failedSignIn(deps, visitor);
    await checkCode(deps, { personId, email, code, address: visitor.address, onWrong });
  }

  /**
   * Accepts an invitation. One that was mailed proves the address: a new account is proven by it, and one that was not loses what it had.
   * Otherwise an existing account requires its own credentials.
   */
  async function join(
    visitor: Visitor,
    session: Session | null,
    invitation: queries.InvitationRow,
    given: LinkUse,
  ): Promise<string> {
    const { email, mailed } = invitation;
    const existing = await queries.findCredentials(db.strangers, email);
    const proves = mailed && existing?.proven !== true;
    let hash = '';
    let checked: Checked | null = null;
    if (existing === undefined || proves) {
      checkPassword(given.password, [email.split('@')[0]!, given.name ?? '']);
      hash = await passwords.hash(NO_COMPANY, given.password);
    } else if (session?.personId !== existing.id) {
      const { password = '', code } = given;
      const onWrong = failedSignIn(deps, visitor);
      checked = await checkCredentials(deps, { email, password, code, address: visitor.address, onWrong });
    }
    return db.strangers.tx(async (tx) => {
      if (!(await queries.takeInvitation(tx, hashOf(given.token)))) throw spent();
      const now = machineClock.now();
      const id = existing?.id ?? (await insertPerson(tx, { ...given, email }, hash, mailed ? now : null));
      if (checked !== null) await requireUnchanged(tx, checked);
      if (existing !== undefined && proves) await takeOver(tx, id, { name: given.name, hash, now });
      await addMember(tx, id, invitation, now);
      return begin(tx, visitor, id);
    });
  }

  /** Gives an account to the person who has proven its address, unless somebody was quicker. */
  async function takeOver(
    tx: Tx,
    id: number,
    given: { name?: string | undefined; hash: string; now: Date },
  ): Promise<void> {
    if (!(await proveAddress(tx, id, given.now))) throw spent();
    if (given.name !== undefined) await queries.updatePerson(tx, id, { name: given.name });
    await queries.updatePasswordHash(tx, id, given.hash);
  }

  async function addMember(tx: Tx, id: number, invitation: queries.InvitationRow, now: Date): Promise<void> {
    const { email, role, company_id: companyId, invited_by } = invitation;
    const { proven, is_member } = await queries.lockStanding(tx, id);
    if (!proven && is_member) throw new AppError('duplicate', UNPROVEN);
    await queries.insertMember(tx, companyId, { personId: id, role, now });
    const details = { role, email, invited_by };
    const entry = { at: now, actor: `admin:${id}`, action: 'member.create', target: `person:${id}`, details };
    await recordAuditEntry(tx, companyId, entry);
  }

  /** Follows a link of admin_sign_ins. `resets`: whether the person has set their password with it. */
  async function follow(visitor: Visitor, given: LinkUse): Promise<{ secret: string; resets: boolean }> {
    const { token, email, code } = given;
    const now = machineClock.now();
    const link = await lookAtLink(db.strangers, token, now);
    if (link === undefined) throw spent();
    const isSetUp = link.kind === 'operator' && email !== undefined;
    let hash = '';
    const resets = link.kind === 'set_password' || link.kind === 'reset_password';
    if (isSetUp || resets) {
      checkPassword(given.password, [(link.email ?? email ?? '').split('@')[0]!, given.name ?? '']);
      hash = await passwords.hash(NO_COMPANY, given.password);
    }
    // The first proof of an address removes an authenticator app, which may be somebody else's.
    const proves = (link.kind === 'magic' || link.kind === 'reset_password') && !link.proven;
    if (link.email !== null && !proves) await requireSecondFactor(token, link.email, visitor, code);
    const secret = await db.strangers.tx(async (tx) => {
      if (isSetUp) await queries.lockSetup(tx);
      if ((await takeLink(tx, token, now)) === undefined) throw spent();
      if (link.person_id === null) {
        if (!isSetUp) return begin(tx, visitor, null);
        if (await queries.hasOwner(tx)) throw new AppError('duplicate', 'There is an owner already');
        return begin(tx, visitor, await setUp(tx, given, hash));
      }
      if (proves && !(await proveAddress(tx, link.person_id, now))) throw spent();
      if (resets) {
        await queries.updatePasswordHash(tx, link.person_id, hash);
        const ended = await deleteSessionsOf(tx, link.person_id, null);
        await recordPassword(tx, link.person_id, { address: visitor.address, ended }, now);
      }
      return begin(tx, visitor, link.person_id);
    });
    return { secret, resets };
  }

  return { join, follow };
}

const UNPROVEN =
  'Verify your e-mail address before you join another company: sign in with a link that is sent to you. If no e-mail is sent, the operator can add you with tradeloom admins create --company';
