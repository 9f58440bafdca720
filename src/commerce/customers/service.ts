import type { PasswordHasher } from '../../access/passwords/passwords.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { found } from '../../errors.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import { type Page, pageOf, partOf } from '../../lib/paging.ts';
import { RawJson } from '../../lib/raw-json.ts';
import { sortOf } from '../../lib/sorting.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import type { IfMatch } from '../../lib/validation/revision.ts';
import type { Suppressions } from '../../messaging/suppressions/suppressions.ts';
import { enqueue } from '../../outbox/service.ts';
import type { Wake } from '../../work/worker-names.ts';
import { valueContext } from '../custom-fields/context.ts';
import { fromMinor } from '../money.ts';
import { wordsOf } from '../search.ts';
import type { ShopCache } from '../shop.ts';
import { changeCustomer, checkUnique } from './change.ts';
import { createdEvent, identityOf } from './events.ts';
import { customerValues, NO_CUSTOMER } from './fields.ts';
import { findCustomerFigures } from './figures/figures.ts';
import { type CustomerFilters, listCustomers, walkCustomers } from './list-queries.ts';
import { createCustomerPasswords } from './passwords.ts';
import * as queries from './queries.ts';
import type { CustomerFigures, CustomerInput, CustomerPatch, CustomerQuery } from './schemas.ts';

export { changeCustomer, checkUnique } from './change.ts';
export { anonymiseCustomer, findGone, findMergedInto, isOlder } from './erasure-queries.ts';
export { checkPassword, customerValues, NO_CUSTOMER } from './fields.ts';
export { foldCustomerFigures } from './figures/figures.ts';
export { findByEmail, insertGuests, removeGuests } from './guests.ts';
export {
  type CustomerOutcome,
  type CustomerSnapshot,
  checkImportedCustomers,
  type ImportedCustomer,
  removeImportedCustomers,
  restoreImportedCustomer,
  writeImportedCustomers,
} from './imported/imported.ts';
export { noticeTo, queueAccountMail } from './mails.ts';
export { type CustomerIdentity, findCustomerJson, holdIdentity } from './queries.ts';

export type CustomersService = ReturnType<typeof createCustomersService>;

export interface CustomersDeps {
  db: Db;
  shops: ShopCache;
  passwords: PasswordHasher;
  messaging: { suppressions: Suppressions };
  wake: Wake;
}

/** The shop's customers. Responses are JSON made by PostgreSQL. */
export function createCustomersService({ db, shops, passwords, messaging, wake }: CustomersDeps) {
  return {
    ...createCustomerPasswords({ db, shops, passwords, wake }),

    /** Ordered by `sort`. The total is exact. */
    async listCustomers(companyId: number, query: CustomerQuery): Promise<Page> {
      const page = pageOf(query);
      return { ...(await listCustomers(db.lists(companyId), companyId, filtersOf(query), page)), ...page };
    },

    /** Yields the whole list, in pages. */
    async *customersInOrder(companyId: number, query: CustomerQuery): AsyncGenerator<Page> {
      for await (const rows of walkCustomers(db.lists(companyId), companyId, filtersOf(query)))
        yield partOf<never>(rows);
    },

    /** Throws not_found. */
    async getCustomer(companyId: number, id: number): Promise<RawJson> {
      return found(await queries.findCustomerJson(db.points(companyId), companyId, id), 'customer');
    },

    /** Amounts in major units. Throws not_found. */
    async getFigures(companyId: number, id: number): Promise<CustomerFigures> {
      const { currency, exponent } = await shops.get(companyId);
      const { spent, refunded, last_order_at } = found(
        await findCustomerFigures(db.points(companyId), companyId, id),
        'customer',
      );
      return {
        customer_id: id,
        currency,
        spent: fromMinor(spent, exponent),
        refunded: fromMinor(refunded, exponent),
        net: fromMinor(spent - refunded, exponent),
        last_order_at: last_order_at?.toISOString() ?? null,
      };
    },

    /** Creates a customer and notifies the marketing side. Throws validation_failed, duplicate. */
    async createCustomer(caller: Caller, input: CustomerInput): Promise<RawJson> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      const read = async (source: Queryable) =>
        customerValues(input, NO_CUSTOMER, shop, await valueContext(source, shop, [input.custom]));
      const checked = await read(db.points(companyId));
      // Hashing takes tens of milliseconds, so it is done before the transaction.
      const passwordHash = input.password == null ? null : await passwords.hash(companyId, input.password);
      const created = await write(db, caller, async (tx) => {
        // Definitions of custom fields may have changed in the meantime, and cannot from here on.
        const values = input.custom === undefined ? checked : await read(tx);
        const { id, json } = await checkUnique(() =>
          queries.insertCustomer(tx, companyId, { ...values, passwordHash }, now),
        );
        await enqueue(tx, companyId, [createdEvent(id, identityOf(values), now)], correlationOf(caller));
        return new RawJson(json);
      });
      wake('outbox');
      return created;
    },

    /** Sets the given fields and notifies the marketing side. Throws not_found, revision_mismatch, validation_failed, duplicate. */
    async updateCustomer(
      caller: Caller,
      id: number,
      patch: CustomerPatch,
      ifMatch: IfMatch | null = null,
    ): Promise<RawJson> {
      const shop = await shops.get(caller.companyId);
      const updated = await write(db, caller, async (tx) =>
        found(await changeCustomer(tx, messaging.suppressions, shop, caller, { id, patch, ifMatch }), 'customer'),
      );
      wake('outbox');
      if (patch.email !== undefined) wake('sender');
      return updated;
    },
  };
}

function filtersOf({ search, email, tag, sort }: CustomerQuery): CustomerFilters {
  const normal = email === undefined ? undefined : (normaliseEmail(email) ?? email.toLowerCase());
  return { words: wordsOf(search), email: normal, tag, sort: sortOf(sort) };
}

/** Returns the customers' current names, addresses and consent, by id; unknown ids are not in the map. */
export async function findIdentities(
  db: Queryable,
  companyId: number,
  ids: number[],
): Promise<Map<number, queries.CustomerIdentity>> {
  if (ids.length === 0) return new Map();
  return new Map((await queries.findIdentities(db, companyId, ids)).map((row) => [row.id, row]));
}
