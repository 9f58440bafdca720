import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import {
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { AppError } from '../../errors.ts';
import { hashOf } from '../sessions.ts';
import { createChallenges, type Subject } from './challenges.ts';
import type { Created, PasskeyOptions, Used } from './schemas.ts';

/** Of one owner. */
export const MAX_PASSKEYS = 20;
const TIMEOUT_MS = 120_000;
/** Ed25519, ES256 and RS256: those that devices use. The library would offer more, which Node warns are experimental. */
const ALGORITHMS = [-8, -7, -257];

/** Where passkeys are created and used: they are valid for its host alone. */
export interface Site {
  /** The name of the host. */
  id: string;
  origin: string;
}

/** What is stored of a passkey to check its signatures. */
export interface Credential {
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
}

/** A challenge that was signed. It is stored until it expires, so that it is accepted once. */
export interface Proof {
  hash: Buffer;
  endsAt: Date;
}

export type WebAuthn = ReturnType<typeof createWebAuthn>;

/** Returns the site of the page that a browser names as its origin. Throws bad_request. */
export function siteOf(origin: string | null): Site {
  if (origin === null || !URL.canParse(origin))
    throw new AppError('bad_request', 'Passkeys need a browser: send its header Origin');
  const { hostname: id } = new URL(origin);
  if (isIP(id.replace(/^\[|\]$/g, '')) !== 0) {
    throw new AppError('bad_request', 'Passkeys need a host name in the address: on this machine, localhost');
  }
  return { id, origin };
}

/** The passkeys of people and of customers. The owner's device creates them, and verifies its user for each signature. */
export function createWebAuthn(secret: Buffer | KeyObject) {
  const challenges = createChallenges(secret);
  const issue = (subject: Subject, now: Date) => Uint8Array.from(challenges.issue(subject, now));

  /** Accepts a challenge that was issued for the subject, and notes it. */
  function expect(subject: Subject, now: Date) {
    const seen: Proof[] = [];
    const expectedChallenge = (challenge: string): boolean => {
      const endsAt = challenges.endOf(challenge, subject, now);
      if (endsAt !== null) seen.push({ hash: hashOf(challenge), endsAt });
      return endsAt !== null;
    };
    return { seen, expectedChallenge };
  }

  return {
    /** Returns the browser's options for creating a passkey. */
    async creationOptions(
      owner: string,
      {
        site,
        siteName,
        name,
        displayName,
        own,
      }: { site: Site; siteName: string; name: string; displayName: string; own: Credential[] },
      now: Date,
    ): Promise<PasskeyOptions> {
      const options = await generateRegistrationOptions({
        rpName: siteName,
        rpID: site.id,
        userID: Uint8Array.from(challenges.userHandle(owner)),
        userName: name,
        userDisplayName: displayName,
        challenge: issue({ purpose: 'create', owner }, now),
        timeout: TIMEOUT_MS,
        attestationType: 'none',
        supportedAlgorithmIDs: ALGORITHMS,
        excludeCredentials: own.map(referenceOf),
        // It can be found without an e-mail address, and the device verifies its user.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      return { options: { ...options } };
    },

    /** Returns the browser's options for using one of the passkeys; without any, the browser asks which. */
    async useOptions(subject: Subject, site: Site, own: Credential[], now: Date): Promise<PasskeyOptions> {
      const options = await generateAuthenticationOptions({
        rpID: site.id,
        challenge: issue(subject, now),
        timeout: TIMEOUT_MS,
        userVerification: 'required',
        allowCredentials: own.map(referenceOf),
      });
      return { options: { ...options } };
    },

    /** Returns the passkey that the browser created for the owner; null if it does not fit the challenge or the site. */
    async created(
      owner: string,
      site: Site,
      created: Created,
      now: Date,
    ): Promise<{ credential: Credential; proof: Proof } | null> {
      const { seen, expectedChallenge } = expect({ purpose: 'create', owner }, now);
      const transports = created.response.transports ?? [];
      const verified = await verifyRegistrationResponse({
        response: { ...created, response: { ...created.response, transports: transports as AuthenticatorTransport[] } },
        expectedChallenge,
        expectedOrigin: site.origin,
        expectedRPID: site.id,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      }).catch(refused);
      const [proof] = seen;
      if (verified?.verified !== true || proof === undefined) return null;
      const { id, publicKey, counter } = verified.registrationInfo.credential;
      return { credential: { credential_id: id, public_key: Buffer.from(publicKey), counter, transports }, proof };
    },

    /** Returns the new count of signatures; null if the signature is wrong, or does not fit the challenge or the site. */
    async used(
      subject: Subject,
      site: Site,
      { credential, used }: { credential: Credential; used: Used },
      now: Date,
    ): Promise<{ counter: number; proof: Proof } | null> {
      const { seen, expectedChallenge } = expect(subject, now);
      const verified = await verifyAuthenticationResponse({
        response: used,
        expectedChallenge,
        expectedOrigin: site.origin,
        expectedRPID: site.id,
        requireUserVerification: true,
        credential: {
          id: credential.credential_id,
          publicKey: Uint8Array.from(credential.public_key),
          counter: credential.counter,
          transports: credential.transports as AuthenticatorTransport[],
        },
      }).catch(refused);
      const [proof] = seen;
      if (verified?.verified !== true || proof === undefined) return null;
      return { counter: verified.authenticationInfo.newCounter, proof };
    },
  };
}

/** The library throws for anything invalid in the browser's data, and for nothing else. */
function refused(): null {
  return null;
}

function referenceOf({ credential_id: id, transports }: Credential) {
  return { id, transports: transports as AuthenticatorTransport[] };
}
