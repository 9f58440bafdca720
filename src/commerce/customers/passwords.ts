import type { PasswordHasher } from '../../access/passwords/passwords.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { AppError, type FieldError, found, validationFailed } from '../../errors.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import type { Wake } from '../../work/worker-names.ts';
import type { ShopCache } from '../shop.ts';
import { announce } from './events.ts';
import { checkPassword } from './fields.ts';
import * as queries from './password-queries.ts';
import type { PasswordCheck } from './schemas.ts';

/** Wrong passwords that one customer's account accepts in one window. */
const MAX_ATTEMPTS = 10;
const ATTEMPTS_WINDOW_MS = 15 * 60_000;

/** The part of the customers service that sets and verifies passwords. */
export function createCustomerPasswords({
  db,
  shops,
  passwords,
  wake,
}: {
  db: Db;
  shops: ShopCache;
  passwords: PasswordHasher;
  wake: Wake;
}) {
  /** Stores the hash with present parameters. While the hasher is overloaded, leaves that to the next sign-in. */
  async function renewHash(companyId: number, id: number, password: string, old: string): Promise<void> {
    try {
      const fresh = await passwords.hash(companyId, password);
      await queries.renewPasswordHash(db.writes(companyId), companyId, id, { old, fresh });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }

  return {
    /** Sets or replaces the password, resets the count of attempts, and signs the customer out. Throws not_found, validation_failed. */
    async setPassword(caller: Caller, id: number, password: string): Promise<RawJson> {
      const { companyId, now } = caller;
      const errors: FieldError[] = [];
      checkPassword(password, (await shops.get(companyId)).name, errors);
      if (errors.length > 0) throw validationFailed(errors);
      const hash = await passwords.hash(companyId, password);
      const changed = await write(db, caller, async (tx) => {
        await announce(tx, caller, id);
        const json = found(await queries.updatePasswordHash(tx, companyId, id, hash, now), 'customer');
        await queries.forgetPasswordAttempts(tx, companyId, id);
        return json;
      });
      wake('outbox');
      return changed;
    },

    /**
     * Returns whether this is the customer's password. The attempt is counted in the database before the password is hashed, so that the
     * limit holds over all processes and simultaneous requests. Throws not_found, rate_limited.
     */
    async verifyPassword(caller: Caller, id: number, password: string): Promise<PasswordCheck> {
      const { companyId } = caller;
      const stored = found(await queries.findPasswordHash(db.points(companyId), companyId, id), 'customer');
      if (stored === null) return { customer_id: id, valid: false };
      const windowStart = await takeAttempt(db.writes(companyId), caller, id);
      let wrong = false;
      try {
        const { valid, outdated } = await passwords.verify(companyId, password, stored);
        wrong = !valid;
        if (valid && outdated) await renewHash(companyId, id, password, stored);
        return { customer_id: id, valid };
      } finally {
        if (!wrong) await queries.returnPasswordAttempt(db.writes(companyId), companyId, id, windowStart);
      }
    },
  };
}

/** Counts an attempt; returns the start of its window. Throws rate_limited. */
async function takeAttempt(db: Queryable, caller: Caller, id: number): Promise<Date> {
  const { companyId, now } = caller;
  const expired = new Date(now.getTime() - ATTEMPTS_WINDOW_MS);
  const taken = await queries.takePasswordAttempt(db, companyId, id, { now, expired, attempts: MAX_ATTEMPTS });
  if (taken !== null) return taken;
  const begun = (await queries.findAttemptWindow(db, companyId, id)) ?? now;
  const seconds = Math.ceil((begun.getTime() + ATTEMPTS_WINDOW_MS - now.getTime()) / 1000);
  throw new AppError('rate_limited', 'Too many wrong passwords for this customer', {
    retry_after: Math.max(1, seconds),
  });
}
