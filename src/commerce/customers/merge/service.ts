import { recordAuditEntry } from '../../../access/audit.ts';
import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import { type FieldError, found, invalidField } from '../../../errors.ts';
import type { RawJson } from '../../../lib/raw-json.ts';
import { correlationOf } from '../../../lib/tracing/correlation.ts';
import { isNo, type Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { enqueue } from '../../../outbox/service.ts';
import type { Wake } from '../../../work/worker-names.ts';
import { lockCartsOf, moveCarts } from '../../carts/queries.ts';
import { lockDefinitionsShared } from '../../custom-fields/context.ts';
import { type CustomValues, MAX_CHARACTERS } from '../../custom-fields/definition.ts';
import { checkMetadata } from '../../fields.ts';
import { moveReservations } from '../../inventory/reservations.ts';
import { countOrders, lockAccounts, moveAccount } from '../../loyalty/service.ts';
import { moveNotes } from '../../notes/service.ts';
import { lockOrdersOf, moveOrders } from '../../orders/service.ts';
import { moveSavedMethods } from '../../payments/saved/service.ts';
import { addReturning } from '../../sales/service.ts';
import type { ShopCache } from '../../shop.ts';
import { withoutStateRules } from '../../states.ts';
import { lockSubscriptionsOf, moveSubscriptions } from '../../subscriptions/service.ts';
import type { CustomerRow } from '../queries.ts';
import type { CustomerPatch, MergeInput } from '../schemas.ts';
import { changeCustomer } from '../service.ts';
import * as queries from './queries.ts';

/** Most orders of a merge, all reassigned in one transaction: 5,000 take about a second. */
const MOST_ORDERS = 5_000;

export interface CustomerMergesDeps {
  db: Db;
  shops: ShopCache;
  messaging: { suppressions: Suppressions };
  wake: Wake;
}

export type CustomerMerges = ReturnType<typeof createCustomerMerges>;

/** Merges two customers. Separate from the customers service, since it changes resources that themselves depend on customers. */
export function createCustomerMerges({ db, shops, messaging, wake }: CustomerMergesDeps) {
  const { suppressions } = messaging;
  return {
    /** Merges the customer `from` into `into`; `from` is not found any more. Throws not_found, validation_failed. */
    async mergeCustomers(caller: Caller, into: number, { from }: MergeInput): Promise<RawJson> {
      const { companyId, actor, now } = caller;
      if (from === into) throw invalidField('from', 'from must name another customer', 'not_allowed');
      const shop = await shops.get(companyId);
      const merged = await write(db, caller, async (tx) => {
        await lockDefinitionsShared(tx, companyId);
        const customers = await queries.lockCustomers(tx, companyId, [into, from]);
        const winner = found(customers.get(into), 'customer');
        const loser = customers.get(from);
        if (loser === undefined) throw invalidField('from', 'Unknown customer in from', 'unknown');
        await moveAll(tx, companyId, from, into);
        const [said] = await suppressions.find(tx, companyId, [{ email: loser.email, phone: loser.phone }]);
        const saidNo = said!.email !== null && isNo(said!.email);
        await queries.absorb(tx, companyId, from, into, customOf(winner, loser), now);
        const payload = { customer_id: String(into), merged_customer_id: String(from) };
        await enqueue(tx, companyId, [{ topic: 'customer_merged', payload, occurredAt: now }], correlationOf(caller));
        const patch = patchOf(winner, loser, saidNo);
        const json = found(
          await changeCustomer(tx, suppressions, withoutStateRules(shop), caller, { id: into, patch }),
          'customer',
        );
        const entry = {
          at: now,
          actor,
          action: 'customer.merge',
          target: `customer:${into}`,
          details: { from },
        };
        await recordAuditEntry(tx, companyId, entry);
        return json;
      });
      wake('outbox');
      return merged;
    },
  };
}

/** Locks carts, orders and subscriptions before accounts, as a cancellation and a renewal do. */
async function moveAll(tx: Tx, companyId: number, from: number, into: number): Promise<void> {
  if ((await countOrders(tx, companyId, from)) > MOST_ORDERS) {
    const message = `from names a customer with more than ${MOST_ORDERS} orders: merge the other one into them`;
    throw invalidField('from', message, 'too_many');
  }
  await lockCartsOf(tx, companyId, from);
  await lockOrdersOf(tx, companyId, from);
  await lockSubscriptionsOf(tx, companyId, from);
  await lockAccounts(tx, companyId, [into, from]);
  await addReturning(tx, companyId, [into, from]);
  await moveCarts(tx, companyId, from, into);
  await moveReservations(tx, companyId, from, into);
  await moveOrders(tx, companyId, from, into);
  await moveSubscriptions(tx, companyId, from, into);
  await moveSavedMethods(tx, companyId, from, into);
  await moveAccount(tx, companyId, from, into);
  await moveNotes(tx, companyId, from, into);
}

/** Returns what the winner lacks and the loser has. If the loser's address opted out, so does the winner; an opt-in is not taken over. */
function patchOf(winner: CustomerRow, loser: CustomerRow, saidNo: boolean): CustomerPatch {
  const patch: CustomerPatch = {};
  if (winner.first_name === '' && winner.last_name === '') {
    patch.first_name = loser.first_name;
    patch.last_name = loser.last_name;
  }
  if (winner.phone === null) patch.phone = loser.phone;
  if (winner.address === null && winner.city === null && winner.zip === null) {
    patch.shipping_address = loser.address;
    patch.shipping_city = loser.city;
    patch.shipping_state = loser.state;
    patch.shipping_zip = loser.zip;
    if (loser.country !== null) patch.shipping_country = loser.country;
  }
  const metadata = { ...loser.metadata, ...winner.metadata };
  const tooLarge: FieldError[] = [];
  checkMetadata(metadata, tooLarge);
  if (tooLarge.length === 0) patch.metadata = metadata;
  if (saidNo) patch.accepts_marketing = false;
  return patch;
}

/** Returns the winner's custom values with those that only the loser has, as far as they fit. */
function customOf(winner: CustomerRow, loser: CustomerRow): CustomValues {
  let custom: CustomValues = winner.custom;
  for (const [key, value] of Object.entries(loser.custom)) {
    if (Object.hasOwn(custom, key)) continue;
    const more = { ...custom, [key]: value };
    if (JSON.stringify(more).length <= MAX_CHARACTERS) custom = more;
  }
  return custom;
}
