import manifest from '../../../package.json' with { type: 'json' };
import { recordOwnChange, requireLive, requirePerson } from '../../access/person-audit.ts';
import { scopesOf } from '../../access/roles.ts';
import { confirmSession, deleteSessionOf, deleteSessionsOf, listSessionsOf } from '../../access/session-queries.ts';
import { beginSession, hashOf, issueLink, lookAtLink, type Session, signOut } from '../../access/sessions.ts';
import type { Tx } from '../../db/pool.ts';
import { AppError, found, notFound } from '../../errors.ts';
import type { Visitor } from '../../http/api/endpoint.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import { networkOf } from '../../lib/network.ts';
import type { Notices } from '../../messaging/notices/notices.ts';
import type {
  LinkRequest,
  LinkUse,
  LinkView,
  OwnSession,
  Person,
  PersonPatch,
  SessionView,
  SignIn,
} from './contract.ts';
import { checkPassword, createLinks, spent } from './links.ts';
import { passwordChangedNotice, resetNotice, signInAddress, signInNotice } from './notices.ts';
import * as queries from './queries.ts';
import { sessionRecords } from './session-records.ts';
import {
  checkCredentials,
  type Given,
  NO_COMPANY,
  refusal,
  requirePatience,
  requireUnchanged,
  type SignInDeps,
  takeLinkAttempt,
} from './sign-in.ts';
import { failedSignIn, recordForgotten, recordSignIn } from './sign-in-entries.ts';

export interface AccountsDeps extends SignInDeps {
  sessions: { find(secret: string): Promise<Session | null> };
  /** Whether mail leaves this server. */
  hasMail: boolean;
  notices: Notices;
  origin: () => string;
  hasTestClock: boolean;
}

export { hasOwner } from './queries.ts';
export { createAdmin, listAdmins, resetAdmin } from './terminal.ts';

type After = Pick<Visitor, 'afterResponse'>;

/** A new session, with the secret for its cookie. */
export interface Begun {
  secret: string;
  view: SessionView;
}

export type AccountsService = ReturnType<typeof createAccountsService>;

const OPERATOR: Person = {
  id: null,
  email: null,
  name: 'Operator',
  language: 'en',
  theme: 'auto',
  has_password: false,
  has_totp: false,
  passkeys: 0,
};

/** The people of this installation: how they sign in, and what they change of their own account. */
export function createAccountsService(deps: AccountsDeps) {
  const { db, passwords, machineClock } = deps;

  async function personOf(personId: number | null): Promise<Person> {
    return personId === null ? OPERATOR : found(await queries.findPerson(db.strangers, personId), 'person');
  }

  async function viewOf(session: Session): Promise<SessionView> {
    return {
      person: await personOf(session.personId),
      companies: session.memberships.map(({ company_id: id, name, currency, time_zone, country, role }) => ({
        id,
        name,
        currency,
        time_zone,
        country,
        role,
        scopes: [...scopesOf(role)],
      })),
      owns_installation: session.ownsInstallation,
      confirmed_at: session.confirmedAt.toISOString(),
      expires_at: session.expiresAt.toISOString(),
      settings: { mail: deps.hasMail, test_clock: deps.hasTestClock, version: manifest.version },
    };
  }

  /** Starts a session that replaces the browser's previous one, and records the sign-in. */
  async function begin(tx: Tx, visitor: Visitor, personId: number | null): Promise<string> {
    const now = machineClock.now();
    if (visitor.secret !== null) await signOut(tx, visitor.secret);
    if (personId !== null) {
      await queries.rememberNetwork(tx, personId, networkOf(visitor.address), now);
      await recordSignIn(tx, personId, visitor.address, now);
    }
    return beginSession(tx, { personId, address: visitor.address, userAgent: visitor.userAgent, now });
  }

  async function shown(secret: string, address: string): Promise<Begun> {
    const session = await deps.sessions.find(secret);
    if (session === null) throw new Error('A session that has just begun is not found');
    deps.log.info({ address, actor: session.actor }, 'signed in to the admin app');
    return { secret, view: await viewOf(session) };
  }

  const links = createLinks(deps, begin);

  async function mailLink(email: string, address: string, kind: 'magic' | 'reset_password'): Promise<void> {
    try {
      const person = await queries.findAddressee(db.strangers, email);
      if (person === undefined || person.company_id === null) return;
      const now = machineClock.now();
      const token = await db.strangers.tx(async (tx) => {
        if (kind === 'reset_password') await recordForgotten(tx, person.id, address, now);
        return issueLink(tx, { kind, personId: person.id, now });
      });
      const url = signInAddress(deps.origin(), token);
      const notice = kind === 'magic' ? signInNotice : resetNotice;
      await deps.notices.send(person.company_id, notice(person.language, email, url));
    } catch (error) {
      deps.log.error({ err: error }, 'a link to sign in could not be sent');
    }
  }

  /** Tells the person that their password was set, in case it was somebody else. */
  async function mailPasswordChanged(personId: number): Promise<void> {
    try {
      const { email, language } = await personOf(personId);
      const [companyId] = await queries.findCompaniesOf(db.strangers, personId);
      if (email === null || companyId === undefined) return;
      await deps.notices.send(companyId, passwordChangedNotice(language, email, deps.origin()));
    } catch (error) {
      deps.log.error({ err: error, person_id: personId }, 'a person was not told that their password was set');
    }
  }

  return {
    viewOf,
    personOf,
    begin,
    shown,

    /** Throws wrong_credentials, second_factor_required, rate_limited. */
    async signIn(visitor: Visitor, given: SignIn): Promise<Begun> {
      const { email, password, code } = given;
      const onWrong = failedSignIn(deps, visitor);
      const checked = await checkCredentials(deps, { email, password, code, address: visitor.address, onWrong });
      const secret = await db.strangers.tx(async (tx) => {
        await requireUnchanged(tx, checked);
        return begin(tx, visitor, checked.id);
      });
      return shown(secret, visitor.address);
    },

    ways: () => ({ mail: deps.hasMail }),

    /** Does the same whether the account exists or not; the e-mail is sent after the response. Throws rate_limited. */
    async sendLink({ address, afterResponse }: Visitor, { email: given, purpose }: LinkRequest): Promise<object> {
      const email = normaliseEmail(given) ?? given.toLowerCase();
      await takeLinkAttempt(deps, email, address);
      const kind = purpose === 'reset_password' ? purpose : 'magic';
      if (deps.hasMail) afterResponse(() => mailLink(email, address, kind));
      return {};
    },

    async signOut({ secret, address, session }: Visitor): Promise<object> {
      if (secret !== null) await signOut(db.strangers, secret);
      deps.log.info({ address, actor: session?.actor }, 'signed out of the admin app');
      return {};
    },

    /** Throws wrong_credentials, rate_limited. */
    async confirm(visitor: Visitor & { session: Session }, password: string): Promise<SessionView> {
      const { session } = visitor;
      const { email } = await personOf(session.personId);
      if (email === null) throw new AppError('wrong_credentials', 'The operator has no password: open a new link');
      const onWrong = failedSignIn(deps, visitor, 'person.confirm_failed');
      await requireOwnPassword(deps, { session, email, password, address: visitor.address, onWrong });
      const now = machineClock.now();
      await confirmSession(db.strangers, session.id, now);
      return viewOf({ ...session, confirmedAt: now });
    },

    /** Throws invalid_link, rate_limited. */
    async lookAtLink(visitor: Visitor, token: string): Promise<LinkView> {
      requirePatience(deps, visitor.address);
      const now = machineClock.now();
      const link = await lookAtLink(db.strangers, token, now);
      if (link?.kind === 'operator') {
        const kind = (await queries.hasOwner(db.strangers)) ? 'operator' : 'owner_setup';
        return { kind, email: null, company: null };
      }
      if (link !== undefined) return { kind: link.kind, email: link.email, company: null };
      const invitation = await queries.findInvitation(db.strangers, hashOf(token), now);
      if (invitation !== undefined) {
        return { kind: 'invitation', email: invitation.email, company: invitation.company };
      }
      throw await refusal(deps, visitor.address, spent());
    },

    /** Throws invalid_link, validation_failed, wrong_credentials, second_factor_required, duplicate, rate_limited. */
    async useLink(visitor: Visitor, given: LinkUse): Promise<Begun> {
      requirePatience(deps, visitor.address);
      const invitation = await queries.findInvitation(db.strangers, hashOf(given.token), machineClock.now());
      const session = visitor.secret === null ? null : await deps.sessions.find(visitor.secret);
      try {
        const { secret, resets } =
          invitation === undefined
            ? await links.follow(visitor, given)
            : { secret: await links.join(visitor, session, invitation, given), resets: false };
        const begun = await shown(secret, visitor.address);
        const { id } = begun.view.person;
        if (resets && id !== null) visitor.afterResponse(() => mailPasswordChanged(id));
        return begun;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'invalid_link') throw error;
        throw await refusal(deps, visitor.address, error);
      }
    },

    async updateMe(session: Session, patch: PersonPatch): Promise<Person> {
      const personId = requirePerson(session);
      await queries.updatePerson(db.strangers, personId, patch);
      return personOf(personId);
    },

    /** Ends the person's other sessions. Throws validation_failed. */
    async setPassword(session: Session, password: string, { afterResponse }: After): Promise<Person> {
      const personId = requirePerson(session);
      checkPassword(password, [session.name, (session.email ?? '').split('@')[0]!]);
      const hash = await passwords.hash(NO_COMPANY, password);
      await db.strangers.tx(async (tx) => {
        await requireLive(tx, session);
        await queries.updatePasswordHash(tx, personId, hash);
        await deleteSessionsOf(tx, personId, session.id);
        await recordOwnChange(tx, session, { at: machineClock.now(), action: 'person.password' });
      });
      afterResponse(() => mailPasswordChanged(personId));
      return personOf(personId);
    },

    async listSessions(session: Session): Promise<{ sessions: OwnSession[] }> {
      const rows = await listSessionsOf(db.strangers, session.personId, machineClock.now());
      return { sessions: sessionRecords(rows, session.id) };
    },

    /** Throws not_found. */
    async endSession(session: Session, id: number): Promise<object> {
      if (!(await deleteSessionOf(db.strangers, session.personId, id))) throw notFound('session');
      return {};
    },
  };
}

/** Checks the person's own password, without a second factor: their session has already shown it. */
async function requireOwnPassword(
  deps: SignInDeps,
  { session, ...given }: Omit<Given, 'code'> & { session: Session },
): Promise<void> {
  const { id } = await checkCredentials({ ...deps, secondFactors: ALREADY_SHOWN }, { ...given, code: '' });
  if (id !== session.personId) throw new AppError('wrong_credentials', 'The password is wrong');
}

const ALREADY_SHOWN = { check: async () => true };
