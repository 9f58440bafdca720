import type { PasswordHasher } from '../../access/passwords.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { AppError, type FieldError, found, validationFailed } from '../../errors.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import { type Page, type PageBounds, pageOf } from '../../lib/paging.ts';
import { RawJson } from '../../lib/raw-json.ts';
import type { Suppressions } from '../../messaging/suppressions/suppressions.ts';
import { enqueue } from '../../outbox/service.ts';
import type { Wake } from '../../work/worker-names.ts';
import { areShort, wordsOf } from '../search.ts';
import type { Shop, ShopCache } from '../shop.ts';
import { changeCustomer, unique } from './change.ts';
import type { CustomerInput, CustomerPatch, CustomerQuery, PasswordCheck } from './contract.ts';
import { createdEvent } from './events.ts';
import { checkPassword, customerValues, NO_CUSTOMER } from './fields.ts';
import * as queries from './queries.ts';

export { changeCustomer } from './change.ts';
export { anonymiseCustomer, findErased, isOlder } from './erasure-queries.ts';
export type { CustomerIdentity } from './queries.ts';

/** What customers' deeds need of the app. */
export interface CustomerDeps {
  db: Db;
  passwords: PasswordHasher;
  messaging: { suppressions: Suppressions };
  wake: Wake;
}

/** Wrong passwords that one customer's account takes in one window. */
const MAX_ATTEMPTS = 10;
const ATTEMPTS_WINDOW_MS = 15 * 60_000;

/** The customer as JSON. Throws not_found. */
export async function getCustomer(db: Db, companyId: number, id: number): Promise<RawJson> {
  return found(await queries.findCustomerJson(db, companyId, id), 'customer');
}

/** Newest first; totals are exact. */
export async function listCustomers(db: Db, companyId: number, query: CustomerQuery): Promise<Page> {
  const page = pageOf(query);
  const words = wordsOf(query.search);
  const email = query.email === undefined ? undefined : (normaliseEmail(query.email) ?? query.email.toLowerCase());
  return { ...(await find(db, companyId, { words, email }, page)), ...page };
}

function find(db: Db, companyId: number, filters: queries.CustomerFilters, page: PageBounds) {
  const { words, email } = filters;
  if (email !== undefined) return queries.searchCustomers(db, companyId, filters, page);
  if (words.length === 0) return queries.listCustomersByKey(db, companyId, page);
  return areShort(words)
    ? queries.searchCustomersShort(db, companyId, words, page)
    : queries.searchCustomers(db, companyId, filters, page);
}

/** Makes a customer and tells the marketing side. Throws validation_failed, duplicate. */
export async function createCustomer(
  deps: CustomerDeps,
  shop: Shop,
  caller: Caller,
  input: CustomerInput,
): Promise<RawJson> {
  const values = customerValues(input, NO_CUSTOMER, shop);
  // Hashing takes tens of milliseconds: done before the transaction, which must not wait for it.
  const passwordHash = input.password == null ? null : await deps.passwords.hash(caller.companyId, input.password);
  const { companyId, now } = caller;
  const created = await write(deps.db, caller, async (tx) => {
    const { id, json } = await unique(() => queries.insertCustomer(tx, companyId, { ...values, passwordHash }, now));
    await enqueue(tx, companyId, [createdEvent(id, values, now)]);
    return new RawJson(json);
  });
  deps.wake('outbox');
  return created;
}

/** Sets what is given, and tells the marketing side of what it knows. Throws not_found, validation_failed, duplicate. */
export async function updateCustomer(
  { db, messaging, wake }: Pick<CustomerDeps, 'db' | 'messaging' | 'wake'>,
  shop: Shop,
  caller: Caller,
  id: number,
  patch: CustomerPatch,
): Promise<RawJson> {
  const updated = await write(db, caller, async (tx) =>
    found(await changeCustomer(tx, messaging.suppressions, shop, caller, id, patch), 'customer'),
  );
  wake('outbox');
  return updated;
}

/** Who the customers are at present, by id; those that do not exist are not in the map. */
export async function findIdentities(
  db: Queryable,
  companyId: number,
  ids: number[],
): Promise<Map<number, queries.CustomerIdentity>> {
  if (ids.length === 0) return new Map();
  return new Map((await queries.findIdentities(db, companyId, ids)).map((row) => [row.id, row]));
}

/** Replaces the password, or gives the customer a first one; wrong attempts are forgotten. Throws not_found, validation_failed. */
export async function setPassword(
  deps: CustomerDeps,
  shop: Pick<Shop, 'name'>,
  caller: Caller,
  id: number,
  password: string,
): Promise<RawJson> {
  const errors: FieldError[] = [];
  checkPassword(password, shop.name, errors);
  if (errors.length > 0) throw validationFailed(errors);
  const hash = await deps.passwords.hash(caller.companyId, password);
  return write(deps.db, caller, async (tx) => {
    const json = found(await queries.updatePasswordHash(tx, caller.companyId, id, hash, caller.now), 'customer');
    await queries.forgetPasswordAttempts(tx, caller.companyId, id);
    return json;
  });
}

/**
 * Whether this is the customer's password. Attempts are counted in the database before the work is done, so that no
 * number of processes and no simultaneous requests get more than the limit. Throws not_found, rate_limited.
 */
export async function verifyPassword(
  deps: CustomerDeps,
  caller: Caller,
  id: number,
  password: string,
): Promise<PasswordCheck> {
  const { db, passwords } = deps;
  const { companyId } = caller;
  const stored = found(await queries.findPasswordHash(db.points(companyId), companyId, id), 'customer');
  if (stored === null) return { customer_id: id, valid: false };
  const windowStart = await takeAttempt(db.writes(caller.companyId), caller, id);
  let wrong = false;
  try {
    const { valid, outdated } = await passwords.verify(companyId, password, stored);
    wrong = !valid;
    if (valid && outdated) await renewHash(deps, companyId, id, password, stored);
    return { customer_id: id, valid };
  } finally {
    if (!wrong) await queries.returnPasswordAttempt(db.writes(companyId), companyId, id, windowStart);
  }
}

/** With no place free to hash, the next sign-in does it. */
async function renewHash(
  deps: CustomerDeps,
  companyId: number,
  id: number,
  password: string,
  old: string,
): Promise<void> {
  try {
    const fresh = await deps.passwords.hash(companyId, password);
    await queries.renewPasswordHash(deps.db.writes(companyId), companyId, id, { old, fresh });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

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

/** The service as handlers are given it: it holds the database, and takes the lane that each read needs. */
export function createCustomersService(deps: CustomerDeps & { shops: ShopCache }) {
  const { db, shops } = deps;
  return {
    listCustomers: (companyId: number, query: CustomerQuery) => listCustomers(db.lists(companyId), companyId, query),
    getCustomer: (companyId: number, id: number) => getCustomer(db.points(companyId), companyId, id),
    createCustomer: async (caller: Caller, input: CustomerInput) =>
      createCustomer(deps, await shops.get(caller.companyId), caller, input),
    updateCustomer: async (caller: Caller, id: number, patch: CustomerPatch) =>
      updateCustomer(deps, await shops.get(caller.companyId), caller, id, patch),
    setPassword: async (caller: Caller, id: number, password: string) =>
      setPassword(deps, await shops.get(caller.companyId), caller, id, password),
    verifyPassword: (caller: Caller, id: number, password: string) => verifyPassword(deps, caller, id, password),
  };
}

export type CustomersService = ReturnType<typeof createCustomersService>;
