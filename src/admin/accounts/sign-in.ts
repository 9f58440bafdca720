import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { NetworkLimiter } from '../../access/attempts/limiter.ts';
import type { PasswordHasher } from '../../access/passwords/passwords.ts';
import type { Clock } from '../../clock.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import { networkOf } from '../../lib/network.ts';
import * as queries from './queries.ts';

/** Wrong passwords per account and window: from each network that it knows, and from all others together. */
const MAX_ATTEMPTS = 10;
const WINDOW_MS = 15 * 60_000;
/** A network stays known for this long after a sign-in from it. */
const KNOWN_MS = 90 * 86_400_000;
/** Users of the installation queue for password hashing separately from the shops' customers. */
export const NO_COMPANY = 0;
/** Matches no password: an account that does not exist takes as long as one that does. */
const NO_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

export interface SignInDeps {
  db: Db;
  passwords: PasswordHasher;
  networkLimiter: NetworkLimiter;
  /** The machine's own clock. */
  machineClock: Clock;
  log: Logger;
  secondFactors: { check(personId: number, code: string): Promise<boolean> };
}

export interface Given {
  email: string;
  password: string;
  code: string | undefined;
  address: string;
  /** Called with the person if the password or the code is wrong. */
  onWrong?: (personId: number) => void;
}

/** Throws rate_limited if the network has too many failures. See docs/design/accounts-and-roles.md. */
export function requirePatience({ networkLimiter }: Pick<SignInDeps, 'networkLimiter'>, address: string): void {
  const wait = networkLimiter.blockedFor('sign_in', address);
  if (wait > 0) throw tooMany(wait);
}

/** Counts a failure of the network and returns the error to throw. */
export async function refusal(
  { networkLimiter }: Pick<SignInDeps, 'networkLimiter'>,
  address: string,
  error: AppError,
): Promise<AppError> {
  const wait = await networkLimiter.count('sign_in', address);
  return wait > 0 ? tooMany(wait) : error;
}

/** A person whose password was right, and its hash, which `requireUnchanged` compares before a session begins. */
export interface Checked {
  id: number;
  hash: string;
}

/**
 * Returns the person with this e-mail address and password. Attempts are counted before the password is checked, so that
 * concurrent requests cannot exceed the limit. A network from which the person has signed in before is counted separately, so that nobody
 * elsewhere can lock them out there. Throws wrong_credentials, second_factor_required, rate_limited.
 */
export async function checkCredentials(deps: SignInDeps, given: Given): Promise<Checked> {
  const { db, passwords, machineClock, secondFactors } = deps;
  requirePatience(deps, given.address);
  const now = machineClock.now();
  const email = normaliseEmail(given.email) ?? given.email.trim().toLowerCase();
  const found = await queries.findCredentials(db.strangers, email);
  const bucket = { account: accountOf(email), network: await bucketOf(db.strangers, found?.id, given.address, now) };
  await takeAttempt(db.strangers, bucket, now);
  const stored = found?.password_hash ?? NO_HASH;
  const { valid, outdated } = await passwords.verify(NO_COMPANY, given.password, stored);
  if (found === undefined || found.password_hash === null || !valid) throw await wrong(deps, given, found?.id);
  if (found.has_totp) {
    if (given.code === undefined) {
      await queries.returnAttempt(db.strangers, bucket.account, bucket.network);
      throw new AppError('second_factor_required', 'Enter the code of your authenticator app');
    }
    if (!(await secondFactors.check(found.id, given.code))) throw await wrong(deps, given, found.id);
  }
  await queries.forgetAttempts(db.strangers, bucket.account, bucket.network);
  if (!outdated) return { id: found.id, hash: stored };
  const fresh = await passwords.hash(NO_COMPANY, given.password);
  await queries.renewPasswordHash(db.strangers, found.id, { old: stored, fresh });
  return { id: found.id, hash: fresh };
}

/** Throws wrong_credentials if the password was changed or deleted since it was checked, in the transaction that begins the session. */
export async function requireUnchanged(tx: Tx, { id, hash }: Checked): Promise<void> {
  if ((await queries.lockPassword(tx, id)) !== hash) {
    throw new AppError('wrong_credentials', 'The password has changed in the meantime');
  }
}

/**
 * Checks the code of a person who uses a link. It counts as an attempt at their account before it is checked. Throws wrong_credentials,
 * rate_limited.
 */
export async function checkCode(
  deps: SignInDeps,
  { personId, email, code, address, onWrong }: Omit<Given, 'password'> & { personId: number; code: string },
): Promise<void> {
  const { db } = deps;
  const now = deps.machineClock.now();
  const bucket = { account: accountOf(email), network: await bucketOf(db.strangers, personId, address, now) };
  await takeAttempt(db.strangers, bucket, now);
  if (!(await deps.secondFactors.check(personId, code))) {
    onWrong?.(personId);
    throw await refusal(deps, address, new AppError('wrong_credentials', 'The code is wrong'));
  }
  await queries.forgetAttempts(db.strangers, bucket.account, bucket.network);
}

function wrong(deps: SignInDeps, { address, onWrong }: Given, personId: number | undefined): Promise<AppError> {
  if (personId !== undefined) onWrong?.(personId);
  const error = new AppError('wrong_credentials', 'The e-mail address, the password or the code is wrong');
  return refusal(deps, address, error);
}

async function bucketOf(db: Queryable, personId: number | undefined, address: string, now: Date): Promise<string> {
  const network = networkOf(address);
  if (personId === undefined) return '';
  return (await queries.knowsNetwork(db, personId, network, new Date(now.getTime() - KNOWN_MS))) ? network : '';
}

/** Links per window: sent to one address, and requested by one network. */
const MAX_LINKS = { account: 3, network: 20 };

/** Invitations a day: to one address from all companies, and of one company. */
const MAX_INVITATIONS = { address: 3, company: 50 };
const DAY_MS = 86_400_000;

/** Counts an invitation. Throws rate_limited if the address or the company had too many today. */
export async function takeInvitationAttempt(db: Queryable, email: string, companyId: number, now: Date): Promise<void> {
  for (const [account, most] of [
    [`invitation to ${email}`, MAX_INVITATIONS.address],
    [`invitations of ${companyId}`, MAX_INVITATIONS.company],
  ] as const) {
    await takeAttempt(db, { account: accountOf(account), network: '' }, now, { most, windowMs: DAY_MS });
  }
}

/** Throws rate_limited if too many links were requested, whether the account exists or not. */
export async function takeLinkAttempt(deps: SignInDeps, email: string, address: string): Promise<void> {
  const { db, machineClock } = deps;
  requirePatience(deps, address);
  const now = machineClock.now();
  const network = networkOf(address);
  for (const [account, most] of [
    [`link to ${email}`, MAX_LINKS.account],
    [`links asked for from ${network}`, MAX_LINKS.network],
  ] as const) {
    await takeAttempt(db.strangers, { account: accountOf(account), network: '' }, now, { most, windowMs: WINDOW_MS });
  }
}

async function takeAttempt(
  db: Queryable,
  bucket: { account: Buffer; network: string },
  now: Date,
  limit: { most: number; windowMs: number } = { most: MAX_ATTEMPTS, windowMs: WINDOW_MS },
): Promise<void> {
  const full = await queries.takeAttempt(db, { ...bucket, ...limit, now });
  if (full === null) return;
  throw tooMany(Math.max(1, Math.ceil((full.getTime() + limit.windowMs - now.getTime()) / 1000)));
}

function tooMany(seconds: number): AppError {
  return new AppError('rate_limited', `Too many attempts: try again in ${seconds} s`, { retry_after: seconds });
}

/** Returns the key under which attempts at an account are counted, whether it exists or not. */
function accountOf(email: string): Buffer {
  return createHash('sha256').update(email).digest();
}
