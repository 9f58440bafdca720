import { createHmac, type KeyObject } from 'node:crypto';
import { createAddressLimiter } from '../../../access/attempts/addresses.ts';
import type { NetworkLimiter } from '../../../access/attempts/limiter.ts';
import type { CompanyCache } from '../../../access/company-cache.ts';
import type { PasswordHasher } from '../../../access/passwords/passwords.ts';
import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import { type FieldError, found, invalidField, notFound, validationFailed } from '../../../errors.ts';
import { normaliseEmail } from '../../../lib/addresses.ts';
import { networkOf } from '../../../lib/network.ts';
import type { RawJson } from '../../../lib/raw-json.ts';
import { correlationOf } from '../../../lib/tracing/correlation.ts';
import { problem, wrong } from '../../../lib/validation/problems.ts';
import type { Language } from '../../../messaging/consent/languages.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { enqueue } from '../../../outbox/service.ts';
import type { Wake } from '../../../work/worker-names.ts';
import { valueContext } from '../../custom-fields/context.ts';
import type { Shop, ShopCache } from '../../shop.ts';
import { announce, createdEvent, identityOf } from '../events.ts';
import { renewPasswordHash } from '../password-queries.ts';
import * as customers from '../queries.ts';
import type { CustomerPatch } from '../schemas.ts';
import { changeCustomer, checkPassword, checkUnique, customerValues, NO_CUSTOMER } from '../service.ts';
import { createAddressBook } from './addresses.ts';
import { type CodeFor, checkCode, mailCode, type Registration, type RightCode, takeCode } from './codes.ts';
import { deletePasskeys } from './passkey-queries.ts';
import { createCustomerPasskeys } from './passkeys.ts';
import * as queries from './queries.ts';
import type { LoginInput, PasswordInput, RegisterInput, VerifyInput } from './schemas.ts';
import {
  beginSession,
  endSession,
  endSessions,
  findSignedIn,
  listSessions,
  type NewSession,
  type SessionRow,
  type SignedIn,
  wrongCredentials,
} from './sessions.ts';
import { createStaffActions } from './staff.ts';

export { addressesOfCustomer } from './addresses.ts';
export { purgeCustomerCodes } from './codes.ts';
export { passkeysOfCustomer } from './passkey-queries.ts';
export { purgePasskeyChallenges } from './passkeys.ts';
export type { NewSession, SignedIn } from './sessions.ts';
export { findSignedIn, purgeCustomerSessions, sessionsOfCustomer } from './sessions.ts';

export interface CustomerAccountsDeps {
  db: Db;
  shops: ShopCache;
  passwords: PasswordHasher;
  messaging: { suppressions: Suppressions; tokenKey: KeyObject; companies: CompanyCache<{ language: Language }> };
  visitorLimiter: NetworkLimiter;
  wake: Wake;
  /**
   * Makes the guest's cart with this token the customer's, or merges it into the customer's open cart, in the transaction that signs the
   * customer in. Ignores a token without a cart.
   */
  adoptCart: (tx: Tx, caller: Caller, customerId: number, cartToken: string) => Promise<void>;
}

export type CustomerAccountsService = ReturnType<typeof createCustomerAccountsService>;

/** Matches no password: hashed in place of the hash of an unknown customer, so that both take equally long. */
const NO_PASSWORD = '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

/** See docs/design/customer-accounts.md. */
export function createCustomerAccountsService(deps: CustomerAccountsDeps) {
  const { db, shops, passwords, messaging, visitorLimiter, wake, adoptCart } = deps;
  const { suppressions, tokenKey, companies } = messaging;
  const languageOf = async (companyId: number): Promise<Language> => (await companies.get(companyId)).language;

  const hashed = (text: string): string => createHmac('sha256', tokenKey).update(text).digest('base64url');
  const countAttempt = createAddressLimiter('store_address', { visitorLimiter, tokenKey });

  async function mail(
    caller: Caller,
    address: string,
    code: CodeFor,
    registration: Registration | null = null,
  ): Promise<{ sent: true }> {
    const { companyId } = caller;
    const standard = await languageOf(companyId);
    const network = hashed(`network ${companyId} ${networkOf(address)}`);
    await db.tenantTx(companyId, (tx) => mailCode(tx, caller, code, { network, registration, standard }));
    wake('sender');
    return { sent: true };
  }

  /** Throws validation_failed if the password is too common. */
  function requireGood(password: string, shop: Shop): void {
    const errors: FieldError[] = [];
    checkPassword(password, shop.name, errors);
    if (errors.length > 0) throw validationFailed(errors);
  }

  /** Returns the stored hash of the password if it is right, otherwise null. Takes equally long without an account. */
  async function hashIfRight(
    companyId: number,
    given: string,
    row: queries.AccountRow | undefined,
  ): Promise<string | null> {
    const stored = row?.account === 'active' ? row.password_hash : null;
    const { valid, outdated } = await passwords.verify(companyId, given, stored ?? NO_PASSWORD);
    if (stored === null || row === undefined || !valid) return null;
    if (!outdated) return stored;
    const fresh = await passwords.hash(companyId, given);
    await renewPasswordHash(db.writes(companyId), companyId, row.id, { old: stored, fresh });
    return fresh;
  }

  async function begin(
    tx: Tx,
    caller: Caller,
    customer: RawJson,
    id: number,
    cart: string | null,
  ): Promise<NewSession> {
    const token = await beginSession(tx, caller.companyId, id, caller.now);
    if (cart !== null) await adoptCart(tx, caller, id, cart);
    return { token, customer };
  }

  /** Creates the account, or activates that of a guest or of somebody who was invited, for whoever has received the code. */
  async function open(
    tx: Tx,
    caller: Caller,
    shop: Shop,
    code: RightCode,
    passwordHash: string | null,
  ): Promise<number> {
    const { companyId, now } = caller;
    const { email, registration } = code;
    const known = await queries.lockAccount(tx, companyId, { email });
    if (known?.account === 'closed') throw wrongCredentials();
    if (known === undefined) {
      const given = { email, ...registration };
      const values = customerValues(given, NO_CUSTOMER, shop, await valueContext(tx, shop, []));
      const { id } = await checkUnique(() => customers.insertCustomer(tx, companyId, { ...values, passwordHash }, now));
      await enqueue(tx, companyId, [createdEvent(id, identityOf(values), now)], correlationOf(caller));
      return id;
    }
    const isNew = known.account !== 'active';
    const patch: CustomerPatch = {};
    if (isNew && registration?.first_name) patch.first_name = registration.first_name;
    if (isNew && registration?.last_name) patch.last_name = registration.last_name;
    if (registration?.accepts_marketing) patch.accepts_marketing = true;
    await changeCustomer(tx, suppressions, shop, caller, { id: known.id, patch });
    await announce(tx, caller, known.id);
    return known.id;
  }

  /**
   * Notes that the customer, who must have an account, has received a code. The first code at an address ends the password, the
   * sessions and the passkeys of before, since whoever set these did not prove that the address is theirs; a new password ends the sessions
   * too.
   */
  async function activate(tx: Tx, { companyId, now }: Caller, id: number, newHash: string | null): Promise<RawJson> {
    const { verified } = found(await queries.lockAccount(tx, companyId, { id }), 'customer');
    if (!verified || newHash !== null) await endSessions(tx, companyId, id);
    if (!verified) await deletePasskeys(tx, companyId, id);
    const passwordHash = verified ? (newHash ?? undefined) : newHash;
    return queries.setAccount(tx, companyId, id, { account: 'active', verifiedAt: now, passwordHash }, now);
  }

  return {
    ...createAddressBook({ db, shops }),
    ...createCustomerPasskeys({ db, shops, tokenKey, onQueued: () => wake('sender'), begin }),
    ...createStaffActions({ db, shops, languageOf, onQueued: () => wake('sender') }),

    /** Mails a code, with which the account is opened. `from` is the address of the client, whose network has few codes of one address. The response is the same for every address. Throws validation_failed. */
    async register(
      caller: Caller,
      { email, first_name = '', last_name = '', ...rest }: RegisterInput,
      from: string,
    ): Promise<{ sent: true }> {
      const { accepts_marketing = false } = rest;
      const registration = { first_name, last_name, accepts_marketing };
      return mail(caller, from, { purpose: 'sign_in', email: addressOf(email), customerId: null }, registration);
    },

    /** Mails a code to sign in. The response is the same for every address. Throws validation_failed. */
    async sendCode(caller: Caller, email: string, from: string): Promise<{ sent: true }> {
      return mail(caller, from, { purpose: 'sign_in', email: addressOf(email), customerId: null });
    },

    /** Mails the customer a code for something that needs one: to the new address, or to the present one. Throws validation_failed. */
    async sendOwnCode(
      caller: Caller,
      { customerId, email }: SignedIn,
      { purpose, email: given }: { purpose: 'change_email' | 'erase'; email?: string },
      from: string,
    ): Promise<{ sent: true }> {
      if (purpose === 'erase') return mail(caller, from, { purpose, email, customerId });
      if (given === undefined) throw invalidField('email', 'email is required', 'required');
      return mail(caller, from, { purpose, email: addressOf(given), customerId });
    },

    /** Opens the account if need be, sets the password if there is one, and signs in. Throws wrong_credentials, validation_failed. */
    async verify(caller: Caller, { email, code, password }: VerifyInput, cart: string | null): Promise<NewSession> {
      const { companyId } = caller;
      const shop = await shops.get(companyId);
      if (password != null) requireGood(password, shop);
      const address = addressOf(email);
      await countAttempt(companyId, address);
      const signIn = { purpose: 'sign_in', email: address, customerId: null } as const;
      const right = await checkCode(db, tokenKey, caller, signIn, code);
      const passwordHash = right === null || password == null ? null : await passwords.hash(companyId, password);
      const session = await write(db, caller, async (tx) => {
        // In the transaction, so that a repeated request gets the stored response.
        if (right === null || !(await takeCode(tx, companyId, right))) throw wrongCredentials();
        const id = await open(tx, caller, shop, right, passwordHash);
        return begin(tx, caller, await activate(tx, caller, id, passwordHash), id, cart);
      });
      wake('outbox');
      return session;
    },

    /** Signs in by password or by code. Throws wrong_credentials, rate_limited, validation_failed. */
    async login(caller: Caller, { email, password, code }: LoginInput, cart: string | null): Promise<NewSession> {
      const { companyId, now } = caller;
      if ((password === undefined) === (code === undefined))
        throw invalidField('password', 'Send either a password or a code', 'required');
      const address = addressOf(email);
      await countAttempt(companyId, address);
      const signIn = { purpose: 'sign_in', email: address, customerId: null } as const;
      const known = await queries.findAccount(db.points(companyId), companyId, address);
      const right = code === undefined ? null : await checkCode(db, tokenKey, caller, signIn, code);
      const hash = password === undefined ? null : await hashIfRight(companyId, password, known);
      return write(db, caller, async (tx) => {
        // In the transaction, so that a repeated request gets the stored response.
        if (known === undefined || (right === null && hash === null)) throw wrongCredentials();
        const locked = await queries.lockAccount(tx, companyId, { id: known.id });
        // The account may have been closed, or the password changed, since it was checked.
        const isSame = locked?.account === 'active' && (right !== null || locked.password_hash === hash);
        if (!isSame || (right !== null && !(await takeCode(tx, companyId, right)))) throw wrongCredentials();
        const customer =
          right === null
            ? await queries.setAccount(tx, companyId, known.id, { account: 'active' }, now)
            : await activate(tx, caller, known.id, null);
        return begin(tx, caller, customer, known.id, cart);
      });
    },

    /** Returns who is signed in with the token. Throws missing_session. */
    signedIn: (caller: Caller, token: string | null): Promise<SignedIn> => findSignedIn(db, caller, token),

    listSessions: (caller: Caller, { customerId }: SignedIn): Promise<SessionRow[]> =>
      listSessions(db.points(caller.companyId), caller.companyId, customerId, caller.now),

    /** Throws not_found. */
    async endSession(caller: Caller, { customerId }: SignedIn, id: number): Promise<{ id: number; deleted: boolean }> {
      const { companyId } = caller;
      return write(db, caller, async (tx) => {
        if (!(await endSession(tx, companyId, customerId, id))) throw notFound('session');
        return { id, deleted: true };
      });
    },

    /** Ends the other sessions as well. Throws wrong_credentials, validation_failed, rate_limited. */
    async changePassword(
      caller: Caller,
      { customerId, sessionId, email }: SignedIn,
      { password, current_password: current }: PasswordInput,
    ): Promise<RawJson> {
      const { companyId, now } = caller;
      requireGood(password, await shops.get(companyId));
      const known = await queries.findAccount(db.points(companyId), companyId, email);
      if (known?.id !== customerId) throw wrongCredentials();
      let checked: string | null = null;
      if (known.password_hash !== null) {
        await countAttempt(companyId, email);
        checked = await hashIfRight(companyId, current ?? '', known);
        if (checked === null) throw wrongCredentials();
      }
      const passwordHash = await passwords.hash(companyId, password);
      return write(db, caller, async (tx) => {
        const locked = await queries.requireActive(tx, companyId, customerId);
        // It may have been changed since it was checked.
        if (locked.password_hash !== checked) throw wrongCredentials();
        await endSessions(tx, companyId, customerId, sessionId);
        return queries.setAccount(tx, companyId, customerId, { account: 'active', passwordHash }, now);
      });
    },

    /** Changes the customer's own data. A changed e-mail address needs the code that was sent to it. Throws wrong_credentials, duplicate. */
    async changeOwn(
      caller: Caller,
      { customerId, email }: SignedIn,
      { code, ...patch }: CustomerPatch & { code?: string },
    ): Promise<RawJson> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      const address = patch.email === undefined ? email : addressOf(patch.email);
      const right =
        address === email
          ? null
          : await checkCode(db, tokenKey, caller, { purpose: 'change_email', email: address, customerId }, code ?? '');
      if (address !== email && right === null) throw wrongCredentials();
      const changed = await write(db, caller, async (tx) => {
        await queries.requireActive(tx, companyId, customerId);
        if (right !== null && !(await takeCode(tx, companyId, right))) throw wrongCredentials();
        const json = found(await changeCustomer(tx, suppressions, shop, caller, { id: customerId, patch }), 'customer');
        if (right === null) return json;
        return queries.setAccount(tx, companyId, customerId, { account: 'active', verifiedAt: now }, now);
      });
      wake('outbox');
      if (right !== null) wake('sender');
      return changed;
    },

    /** Checks the code with which the customer wants to be erased. The erasure deletes it. Throws wrong_credentials. */
    async requireErasureCode(caller: Caller, { customerId, email }: SignedIn, code: string): Promise<void> {
      const right = await checkCode(db, tokenKey, caller, { purpose: 'erase', email, customerId }, code);
      if (right === null) throw wrongCredentials();
    },
  };
}

/** Returns the address normalised. Throws validation_failed. */
function addressOf(given: string): string {
  const email = normaliseEmail(given);
  if (email === null) throw validationFailed([wrong('email', problem('no_email'), 'wrong_format')]);
  return email;
}
