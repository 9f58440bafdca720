import type { MasterKey } from '../../access/master-key.ts';
import type { Purpose } from '../../access/passkeys/challenges.ts';
import type { Created, Passkey, PasskeyOptions, Used } from '../../access/passkeys/schemas.ts';
import { createWebAuthn, MAX_PASSKEYS, siteOf } from '../../access/passkeys/webauthn.ts';
import { recordOwnChange, requireLive, requirePerson } from '../../access/person-audit.ts';
import { confirmSession } from '../../access/session-queries.ts';
import type { Session } from '../../access/sessions.ts';
import { constraintOf, type Tx } from '../../db/pool.ts';
import { AppError, found, invalidField } from '../../errors.ts';
import type { Visitor } from '../../http/api/endpoint.ts';
import type { SessionView } from '../accounts/contract.ts';
import type { AccountsService, Begun } from '../accounts/service.ts';
import { refusal, requirePatience, type SignInDeps } from '../accounts/sign-in.ts';
import { failedSignIn } from '../accounts/sign-in-entries.ts';
import * as queries from './queries.ts';

type Someone = Visitor & { session: Session };

export interface PasskeysDeps extends Pick<SignInDeps, 'db' | 'networkLimiter' | 'machineClock' | 'log'> {
  masterKey: Pick<MasterKey, 'tokenKey'>;
  accounts: Pick<AccountsService, 'begin' | 'shown' | 'viewOf'>;
}

export type PasskeysService = ReturnType<typeof createPasskeysService>;

const ownerOf = (personId: number | null): string => `person ${personId ?? ''}`;

/** Passkeys are created by the person's device, which verifies its user. One replaces password and second factor together. */
export function createPasskeysService(deps: PasskeysDeps) {
  const { db, machineClock, accounts } = deps;
  const webAuthn = createWebAuthn(deps.masterKey.tokenKey);

  async function askFor(visitor: Visitor, purpose: Purpose, personId: number | null): Promise<PasskeyOptions> {
    const own = personId === null ? [] : await queries.credentialsOf(db.strangers, personId);
    return webAuthn.useOptions({ purpose, owner: ownerOf(personId) }, siteOf(visitor.origin), own, machineClock.now());
  }

  /** Returns the passkey that signed the challenge. Throws wrong_credentials, rate_limited. */
  async function check(visitor: Visitor, used: Used, purpose: Purpose, personId: number | null) {
    requirePatience(deps, visitor.address);
    const site = siteOf(visitor.origin);
    const row = await queries.findCredential(db.strangers, used.id);
    if (row === undefined || (personId !== null && row.person_id !== personId)) throw await wrong(visitor);
    const subject = { purpose, owner: ownerOf(personId) };
    const signed = await webAuthn.used(subject, site, { credential: row, used }, machineClock.now());
    if (signed === null) {
      const action = purpose === 'sign in' ? 'person.sign_in_failed' : 'person.confirm_failed';
      failedSignIn(deps, visitor, action)(row.person_id);
      throw await wrong(visitor);
    }
    return { row, ...signed };
  }

  /** Throws wrong_credentials if the signature was used before. */
  async function take(tx: Tx, { row, proof, counter }: Awaited<ReturnType<typeof check>>): Promise<void> {
    const now = machineClock.now();
    if (
      !(await queries.useChallenge(tx, row.person_id, proof, now)) ||
      !(await queries.noteUse(tx, row, counter, now))
    ) {
      throw new AppError('wrong_credentials', 'This passkey was used with this challenge before: begin again');
    }
  }

  function wrong(visitor: Visitor): Promise<AppError> {
    const error = new AppError('wrong_credentials', 'The passkey is not known here, or its signature is wrong');
    return refusal(deps, visitor.address, error);
  }

  return {
    async list(session: Session): Promise<{ passkeys: Passkey[] }> {
      const rows = await queries.listPasskeys(db.strangers, requirePerson(session));
      return { passkeys: rows.map(passkeyRecord) };
    },

    /** Returns the browser's options for creating a passkey. Throws forbidden_role, bad_request. */
    async begin(visitor: Someone): Promise<PasskeyOptions> {
      const { session } = visitor;
      const personId = requirePerson(session);
      const shown = {
        site: siteOf(visitor.origin),
        siteName: 'Tradeloom',
        name: session.email ?? '',
        displayName: session.name,
      };
      const own = await queries.credentialsOf(db.strangers, personId);
      return webAuthn.creationOptions(ownerOf(personId), { ...shown, own }, machineClock.now());
    },

    /** Throws validation_failed, duplicate, forbidden_role. */
    async create(visitor: Someone, { name, credential }: { name: string; credential: Created }): Promise<Passkey> {
      const { session } = visitor;
      const personId = requirePerson(session);
      const now = machineClock.now();
      const created = await webAuthn.created(ownerOf(personId), siteOf(visitor.origin), credential, now);
      if (created === null) throw invalidField('credential', 'The passkey does not fit: begin again', 'invalid');
      return db.strangers.tx(async (tx) => {
        await requireLive(tx, session);
        if (!(await queries.useChallenge(tx, personId, created.proof, now))) {
          throw invalidField('credential', 'The passkey was kept before: begin again', 'invalid');
        }
        if ((await queries.listPasskeys(tx, personId)).length >= MAX_PASSKEYS) {
          throw invalidField('credential', `There are ${MAX_PASSKEYS} passkeys: remove one first`, 'too_many');
        }
        const row = await once(() => queries.insertPasskey(tx, { personId, name, now, ...created.credential }));
        const details = { name };
        await recordOwnChange(tx, session, { at: now, action: 'person.passkey.create', details });
        return passkeyRecord(row);
      });
    },

    /** Throws not_found. */
    async rename(session: Session, id: number, name: string): Promise<Passkey> {
      const personId = requirePerson(session);
      return db.strangers.tx(async (tx) => {
        const before = (await queries.listPasskeys(tx, personId)).find((one) => one.id === id);
        const row = found(await queries.renamePasskey(tx, personId, id, name), 'passkey');
        const details = { name, before: { name: before?.name } };
        await recordOwnChange(tx, session, { at: machineClock.now(), action: 'person.passkey.update', details });
        return passkeyRecord(row);
      });
    },

    /** Throws not_found; validation_failed for the person's last credential. */
    async remove(session: Session, id: number): Promise<Passkey> {
      const personId = requirePerson(session);
      return db.strangers.tx(async (tx) => {
        const { has_password } = found(await queries.lockPerson(tx, personId), 'person');
        const row = found(await queries.deletePasskey(tx, personId, id), 'passkey');
        if (!has_password && (await queries.listPasskeys(tx, personId)).length === 0) {
          throw invalidField('id', 'This is your only way to sign in: set a password first', 'last_credential');
        }
        const details = { before: { name: row.name } };
        await recordOwnChange(tx, session, { at: machineClock.now(), action: 'person.passkey.delete', details });
        return passkeyRecord(row);
      });
    },

    /** Throws bad_request. */
    beginSignIn: (visitor: Visitor) => askFor(visitor, 'sign in', null),

    /** Throws wrong_credentials, rate_limited. */
    async signIn(visitor: Visitor, used: Used): Promise<Begun> {
      const checked = await check(visitor, used, 'sign in', null);
      const secret = await db.strangers.tx(async (tx) => {
        await take(tx, checked);
        return accounts.begin(tx, visitor, checked.row.person_id);
      });
      return accounts.shown(secret, visitor.address);
    },

    /** Throws bad_request, forbidden_role. */
    beginConfirmation: (visitor: Someone) => askFor(visitor, 'confirm', requirePerson(visitor.session)),

    /** Throws wrong_credentials, rate_limited, forbidden_role. */
    async confirm(visitor: Someone, used: Used): Promise<SessionView> {
      const { session } = visitor;
      const checked = await check(visitor, used, 'confirm', requirePerson(session));
      const confirmedAt = machineClock.now();
      await db.strangers.tx(async (tx) => {
        await take(tx, checked);
        await confirmSession(tx, session.id, confirmedAt);
      });
      return accounts.viewOf({ ...session, confirmedAt });
    },
  };
}

async function once<T>(insert: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if (constraintOf(error) !== 'passkeys_credential_id_key') throw error;
    throw new AppError('duplicate', 'This passkey is kept already');
  }
}

function passkeyRecord({ created_at, last_used_at, ...row }: queries.PasskeyRow): Passkey {
  return { ...row, created_at: created_at.toISOString(), last_used_at: last_used_at?.toISOString() ?? null };
}
