import type { KeyObject } from 'node:crypto';
import type { Created, Passkey, PasskeyOptions, Used } from '../../../access/passkeys/schemas.ts';
import { createWebAuthn, MAX_PASSKEYS, siteOf } from '../../../access/passkeys/webauthn.ts';
import type { Caller } from '../../../caller.ts';
import type { Clock } from '../../../clock.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../../db/pool.ts';
import { purgeByAge } from '../../../db/purge.ts';
import { AppError, found, invalidField, notFound } from '../../../errors.ts';
import type { Slice } from '../../../lib/slice.ts';
import type { ShopCache } from '../../shop.ts';
import { findCustomerJson } from '../queries.ts';
import { noticeTo } from '../service.ts';
import * as queries from './passkey-queries.ts';
import { lockAccount, requireActive } from './queries.ts';
import { type NewSession, type SignedIn, wrongCredentials } from './sessions.ts';

export interface PasskeysDeps {
  db: Db;
  shops: ShopCache;
  tokenKey: KeyObject;
  onQueued: () => void;
  /** Begins a session in the transaction. */
  begin: (
    tx: Tx,
    caller: Caller,
    customer: NewSession['customer'],
    id: number,
    cart: string | null,
  ) => Promise<NewSession>;
}

/** Passkeys of the company's customers; those of everybody while it is not known who signs in. */
const ownerOf = (companyId: number, customerId: number | null): string => `customer ${companyId} ${customerId ?? ''}`;

/**
 * Passkeys of customers. The site is that of the page, which the store key lists: elsewhere, neither the customer's device nor the check
 * accepts them.
 */
export function createCustomerPasskeys({ db, shops, tokenKey, onQueued, begin }: PasskeysDeps) {
  const webAuthn = createWebAuthn(tokenKey);

  return {
    async listPasskeys({ companyId }: Caller, { customerId }: SignedIn): Promise<Passkey[]> {
      return (await queries.listPasskeys(db.points(companyId), companyId, customerId)).map(recordOf);
    },

    /** Returns the browser's options for creating a passkey. Throws bad_request. */
    async beginPasskey(
      { companyId, now }: Caller,
      { customerId, email }: SignedIn,
      origin: string | null,
    ): Promise<PasskeyOptions> {
      const site = siteOf(origin);
      const { name: siteName } = await shops.get(companyId);
      const own = await queries.credentialsOf(db.points(companyId), companyId, customerId);
      const shown = { site, siteName, name: email, displayName: email, own };
      return webAuthn.creationOptions(ownerOf(companyId, customerId), shown, now);
    },

    /** Stores a passkey, and tells the customer by mail. Throws bad_request, validation_failed, duplicate, missing_session. */
    async addPasskey(
      caller: Caller,
      { customerId, email }: SignedIn,
      { name, credential }: { name: string; credential: Created },
      origin: string | null,
    ): Promise<Passkey> {
      const { companyId, now } = caller;
      const created = await webAuthn.created(ownerOf(companyId, customerId), siteOf(origin), credential, now);
      const added = await write(db, caller, async (tx) => {
        // In the transaction, so that a repeated request gets the stored response.
        if (created === null || !(await queries.useChallenge(tx, companyId, created.proof)))
          throw invalidField('credential', 'The passkey does not fit: begin again', 'invalid');
        await requireActive(tx, companyId, customerId);
        if ((await queries.listPasskeys(tx, companyId, customerId)).length >= MAX_PASSKEYS)
          throw invalidField('credential', `There are ${MAX_PASSKEYS} passkeys: remove one first`, 'too_many');
        const row = await queries.insertPasskey(tx, companyId, { customerId, name, now, ...created.credential });
        if (row === undefined) throw new AppError('duplicate', 'This passkey is kept already');
        await noticeTo(tx, caller, email, 'account_passkey');
        return recordOf(row);
      });
      onQueued();
      return added;
    },

    /** Throws not_found. */
    async removePasskey(
      caller: Caller,
      { customerId }: SignedIn,
      id: number,
    ): Promise<{ id: number; deleted: boolean }> {
      const { companyId } = caller;
      return write(db, caller, async (tx) => {
        if (!(await queries.deletePasskey(tx, companyId, customerId, id))) throw notFound('passkey');
        return { id, deleted: true };
      });
    },

    /** Returns the browser's options for signing in, which tell nothing about anybody. Throws bad_request. */
    beginPasskeySignIn: async ({ companyId, now }: Caller, origin: string | null): Promise<PasskeyOptions> =>
      webAuthn.useOptions({ purpose: 'sign in', owner: ownerOf(companyId, null) }, siteOf(origin), [], now),

    /** Throws wrong_credentials, bad_request. */
    async signInByPasskey(caller: Caller, used: Used, origin: string | null, cart: string | null): Promise<NewSession> {
      const { companyId, now } = caller;
      const site = siteOf(origin);
      const row = await queries.findCredential(db.points(companyId), companyId, used.id);
      const subject = { purpose: 'sign in', owner: ownerOf(companyId, null) } as const;
      const signed = row === undefined ? null : await webAuthn.used(subject, site, { credential: row, used }, now);
      return write(db, caller, async (tx) => {
        if (row === undefined || signed === null) throw wrongCredentials();
        const locked = await lockAccount(tx, companyId, { id: row.customer_id });
        const isNew =
          locked?.account === 'active' &&
          (await queries.useChallenge(tx, companyId, signed.proof)) &&
          (await queries.noteUse(tx, companyId, row, signed.counter, now));
        if (!isNew) throw wrongCredentials();
        const customer = found(await findCustomerJson(tx, companyId, row.customer_id), 'customer');
        return begin(tx, caller, customer, row.customer_id, cart);
      });
    },
  };
}

/** Deletes challenges that are not accepted any more. */
export function purgePasskeyChallenges(db: Queryable, clock: Clock): Slice<Date> {
  return purgeByAge(db, { table: 'customer_passkey_challenges', column: 'expires_at', before: () => clock.now() });
}

function recordOf({ created_at, last_used_at, ...row }: queries.PasskeyRow): Passkey {
  return { ...row, created_at: created_at.toISOString(), last_used_at: last_used_at?.toISOString() ?? null };
}
