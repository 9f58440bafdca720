import { isIP } from 'node:net';
import {
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { MasterKey } from '../../access/master-key.ts';
import { recordOwnChange, requireLive, requirePerson } from '../../access/person-audit.ts';
import { confirmSession } from '../../access/session-queries.ts';
import { hashOf, type Session } from '../../access/sessions.ts';
import { constraintOf, type Tx } from '../../db/pool.ts';
import { AppError, found, invalidField } from '../../errors.ts';
import type { Visitor } from '../../http/api/endpoint.ts';
import type { SessionView } from '../accounts/contract.ts';
import type { AccountsService, Begun } from '../accounts/service.ts';
import { refusal, requirePatience, type SignInDeps } from '../accounts/sign-in.ts';
import { failedSignIn } from '../accounts/sign-in-entries.ts';
import { createChallenges, type Purpose } from './challenges.ts';
import type { Created, Passkey, Used } from './contract.ts';
import * as queries from './queries.ts';

const MAX_PASSKEYS = 20;
const TIMEOUT_MS = 120_000;
/** Ed25519, ES256 and RS256: those that devices use. The library would offer more, which Node warns are experimental. */
const ALGORITHMS = [-8, -7, -257];

type Someone = Visitor & { session: Session };

export interface PasskeysDeps extends Pick<SignInDeps, 'db' | 'networkLimiter' | 'machineClock' | 'log'> {
  masterKey: Pick<MasterKey, 'tokenKey'>;
  accounts: Pick<AccountsService, 'begin' | 'shown' | 'viewOf'>;
}

export type PasskeysService = ReturnType<typeof createPasskeysService>;

/** Passkeys are created by the person's device, which verifies its user. One replaces password and second factor together. */
export function createPasskeysService(deps: PasskeysDeps) {
  const { db, machineClock, accounts } = deps;
  const challenges = createChallenges(deps.masterKey.tokenKey);

  async function askFor(visitor: Visitor, purpose: Purpose, personId: number | null): Promise<{ options: object }> {
    const own = personId === null ? [] : await queries.credentialsOf(db.strangers, personId);
    const options = await generateAuthenticationOptions({
      rpID: siteOf(visitor).id,
      challenge: Uint8Array.from(challenges.issue({ purpose, personId }, machineClock.now())),
      timeout: TIMEOUT_MS,
      userVerification: 'required',
      allowCredentials: own.map(credentialRef),
    });
    return { options };
  }

  /** Returns the passkey that signed the challenge. Throws wrong_credentials, rate_limited. */
  async function check(visitor: Visitor, used: Used, purpose: Purpose, personId: number | null) {
    requirePatience(deps, visitor.address);
    const site = siteOf(visitor);
    const now = machineClock.now();
    const row = await queries.findCredential(db.strangers, used.id);
    let proof: { challenge: string; endsAt: Date } | null = null;
    const isOurs = (challenge: string): boolean => {
      const endsAt = challenges.endOf(challenge, { purpose, personId }, now);
      if (endsAt !== null) proof = { challenge, endsAt };
      return endsAt !== null;
    };
    if (row === undefined || (personId !== null && row.person_id !== personId)) throw await wrong(visitor);
    const verified = await verifyAuthenticationResponse({
      response: used,
      expectedChallenge: isOurs,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: true,
      credential: {
        id: row.credential_id,
        publicKey: Uint8Array.from(row.public_key),
        counter: row.counter,
        transports: row.transports as AuthenticatorTransport[],
      },
    }).catch(refused);
    if (verified?.verified !== true || proof === null) {
      failedSignIn(
        deps,
        visitor,
        purpose === 'sign in' ? 'person.sign_in_failed' : 'person.confirm_failed',
      )(row.person_id);
      throw await wrong(visitor);
    }
    return {
      row,
      proof: proof as { challenge: string; endsAt: Date },
      counter: verified.authenticationInfo.newCounter,
    };
  }

  /** Throws wrong_credentials if the signature was used before. */
  async function take(tx: Tx, { row, proof, counter }: Awaited<ReturnType<typeof check>>): Promise<void> {
    const now = machineClock.now();
    const challenge = { hash: hashOf(proof.challenge), personId: row.person_id, endsAt: proof.endsAt, now };
    if (!(await queries.useChallenge(tx, challenge)) || !(await queries.noteUse(tx, row, counter, now))) {
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
    async begin(visitor: Someone): Promise<{ options: object }> {
      const { session } = visitor;
      const personId = requirePerson(session);
      const own = await queries.credentialsOf(db.strangers, personId);
      const options = await generateRegistrationOptions({
        rpName: 'Tradeloom',
        rpID: siteOf(visitor).id,
        userID: Uint8Array.from(challenges.userHandle(personId)),
        userName: session.email ?? '',
        userDisplayName: session.name,
        challenge: Uint8Array.from(challenges.issue({ purpose: 'create', personId }, machineClock.now())),
        timeout: TIMEOUT_MS,
        attestationType: 'none',
        supportedAlgorithmIDs: ALGORITHMS,
        excludeCredentials: own.map(credentialRef),
        // It can be found without an e-mail address, and the device verifies its user.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      return { options };
    },

    /** Throws validation_failed, duplicate, forbidden_role. */
    async create(visitor: Someone, { name, credential }: { name: string; credential: Created }): Promise<Passkey> {
      const { session } = visitor;
      const personId = requirePerson(session);
      const site = siteOf(visitor);
      const now = machineClock.now();
      let proof: { challenge: string; endsAt: Date } | null = null;
      const verified = await verifyRegistrationResponse({
        response: { ...credential, response: { ...credential.response, transports: transportsOf(credential) } },
        expectedChallenge: (challenge) => {
          const endsAt = challenges.endOf(challenge, { purpose: 'create', personId }, now);
          if (endsAt !== null) proof = { challenge, endsAt };
          return endsAt !== null;
        },
        expectedOrigin: site.origin,
        expectedRPID: site.id,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      }).catch(refused);
      if (verified?.verified !== true || proof === null) {
        throw invalidField('credential', 'The passkey does not fit: begin again', 'invalid');
      }
      const { challenge, endsAt } = proof as { challenge: string; endsAt: Date };
      const { id: credentialId, publicKey, counter } = verified.registrationInfo.credential;
      return db.strangers.tx(async (tx) => {
        await requireLive(tx, session);
        if (!(await queries.useChallenge(tx, { hash: hashOf(challenge), personId, endsAt, now }))) {
          throw invalidField('credential', 'The passkey was kept before: begin again', 'invalid');
        }
        if ((await queries.listPasskeys(tx, personId)).length >= MAX_PASSKEYS) {
          throw invalidField('credential', `There are ${MAX_PASSKEYS} passkeys: remove one first`, 'too_many');
        }
        const row = await once(() =>
          queries.insertPasskey(tx, {
            personId,
            name,
            credentialId,
            counter,
            now,
            publicKey: Buffer.from(publicKey),
            transports: transportsOf(credential),
          }),
        );
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

/** Returns the site of the passkeys: that of the browser, whose name the request guard checked. Throws bad_request. */
function siteOf({ origin }: Visitor): { id: string; origin: string } {
  const { hostname: id } = new URL(origin);
  if (isIP(id.replace(/^\[|\]$/g, '')) !== 0) {
    throw new AppError('bad_request', 'Passkeys need a host name in the address: on this machine, localhost');
  }
  return { id, origin };
}

/** The library throws for anything invalid in the browser's data, and for nothing else. */
function refused(): null {
  return null;
}

function credentialRef({ credential_id: id, transports }: queries.CredentialRow) {
  return { id, transports: transports as AuthenticatorTransport[] };
}

function transportsOf({ response }: Created): AuthenticatorTransport[] {
  return (response.transports ?? []) as AuthenticatorTransport[];
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
