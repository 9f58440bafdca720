import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { type FieldError, found, invalidField, validationFailed } from '../../errors.ts';
import { normaliseCountry } from '../../lib/countries.ts';
import { dateIn } from '../../lib/time-zones/time-zones.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { enqueue } from '../../outbox/service.ts';
import type { Minor } from '../money.ts';
import type { StockedProduct } from '../orders/placing/snapshot.ts';
import { variantRequired } from '../orders/placing/variant-required.ts';
import { quoteWithoutStock } from '../orders/quote.ts';
import { findSavedMethods } from '../payments/saved/queries.ts';
import { ACTIVE_VARIANTS, NOT_SOLD } from '../products/variants/conditions.ts';
import type { Shop } from '../shop.ts';
import { stateCode } from '../states.ts';
import type { Subscription, SubscriptionInput, SubscriptionPatch } from './contract.ts';
import { subscriptionEvent } from './events.ts';
import { type FrequencyRow, holdFrequency } from './frequencies/queries.ts';
import * as queries from './queries.ts';
import { orderRequest, subscriptionRecord } from './record.ts';
import { LAST_DATE, startOfDayIn } from './schedule.ts';

/** Creates a subscription at the product's present price. Throws validation_failed with every failing field. */
export async function createSubscription(
  db: Db,
  shop: Shop,
  caller: Caller,
  input: SubscriptionInput,
): Promise<Subscription> {
  const { companyId } = shop;
  const { actor, now } = caller;
  return write(db, caller, async (tx) => {
    const { customer, product, address, startDate } = await checkSignUp(tx, shop, now, input);
    const id = await queries.insertSubscription(tx, companyId, {
      customerId: input.customer_id,
      productId: input.product_id,
      frequencyId: input.frequency_id,
      quantity: input.quantity ?? 1,
      price: product.price,
      startDate,
      dueAt: startOfDayIn(shop.timeZone, startDate),
      savedMethodId: input.saved_method_id ?? null,
      address,
      now,
    });
    const row = found(await queries.findSubscription(tx, companyId, id), 'subscription');
    // Priced now, so that an address without shipping is refused at sign-up and not at the first renewal.
    await quoteWithoutStock(tx, shop, orderRequest(row, actor, now));
    await queries.insertHistory(tx, companyId, [{ subscriptionId: id, type: 'created', actor, message: null }], now);
    const event = subscriptionEvent('subscription_created', row, customer, now);
    await enqueue(tx, companyId, [event], correlationOf(caller));
    return subscriptionRecord(row, shop);
  });
}

async function checkSignUp(tx: Tx, shop: Shop, now: Date, input: SubscriptionInput) {
  const failed: FieldError[] = [];
  const fail = (field: string, code: string, what: string): void => {
    failed.push({ field, code, message: `${field} ${what}` });
  };
  const [customer, product, frequency] = await Promise.all([
    findSignUpCustomer(tx, shop.companyId, input.customer_id),
    findSignUpProduct(tx, shop.companyId, input.product_id),
    holdFrequency(tx, shop.companyId, input.frequency_id),
  ]);
  if (customer === undefined || customer.erased) fail('customer_id', 'unknown', 'refers to an unknown customer');
  const refusal = refusalOf(product);
  if (refusal !== null) fail('product_id', ...refusal);
  if (frequency?.active !== true) fail('frequency_id', 'unknown', 'refers to an unknown frequency');
  if (
    input.saved_method_id != null &&
    !(await hasSavedMethod(tx, shop.companyId, input.customer_id, input.saved_method_id))
  ) {
    fail('saved_method_id', 'unknown', 'refers to an unknown saved payment method of the customer');
  }
  const today = dateIn(shop.timeZone, now);
  const startDate = input.start_date ?? today;
  if (startDate < today) fail('start_date', 'out_of_range', 'must not be in the past');
  if (startDate > LAST_DATE) fail('start_date', 'out_of_range', `must not be after ${LAST_DATE}`);
  const { given, address } = addressOf(input, customer, shop);
  const why = given ? '' : ': the customer has no default address';
  for (const field of customer === undefined && !given ? [] : (['address', 'city', 'zip'] as const)) {
    if (address[field] === '') fail(`shipping_${field}`, 'required', `is required${why}`);
  }
  const country = normaliseCountry(address.country);
  if (country === null) fail('shipping_country', 'unknown', 'must be a country code');
  if (failed.length > 0) throw validationFailed(failed);
  if (product!.variants !== null) throw variantRequired(shop, product!);
  return {
    customer: customer!,
    product: product!,
    startDate,
    address: { ...address, state: stateCode(address.state, country!), country: country! },
  };
}

/** Returns code and reason why a product cannot be subscribed to; null: it can. */
function refusalOf(product: SignUpProduct | undefined): [code: string, what: string] | null {
  if (product === undefined) return ['unknown', 'refers to an unknown product'];
  if (product.archived) return ['archived', 'names a product that is not sold'];
  return product.subscription_enabled ? null : ['not_allowed', 'names a product without subscriptions'];
}

/** Returns a product for a subscription. Throws validation_failed, variant_required. */
export async function requireProduct(tx: Tx, shop: Shop, id: number): Promise<{ id: number; price: Minor }> {
  const product = await findSignUpProduct(tx, shop.companyId, id);
  const refusal = refusalOf(product);
  if (refusal !== null) throw invalidField('product_id', `product_id ${refusal[1]}`, refusal[0]);
  if (product!.variants !== null) throw variantRequired(shop, product!);
  return product!;
}

/** Returns the subscription's address with what a change names of it. Throws validation_failed. */
export function changedAddress(row: queries.SubscriptionRow, patch: SubscriptionPatch): queries.Terms['address'] {
  const { shipping_state: state } = patch;
  const country =
    patch.shipping_country === undefined ? row.shipping_country : normaliseCountry(patch.shipping_country);
  if (country === null) throw invalidField('shipping_country', 'shipping_country must be a country code', 'unknown');
  return {
    address: patch.shipping_address ?? row.shipping_address,
    city: patch.shipping_city ?? row.shipping_city,
    state: state === undefined ? row.shipping_state : stateCode(state, country),
    zip: patch.shipping_zip ?? row.shipping_zip,
    country,
  };
}

/** Returns the given address as a whole, otherwise the customer's default address; never a mixture of both. */
function addressOf(input: SubscriptionInput, customer: SignUp | undefined, shop: Shop) {
  const own = {
    address: input.shipping_address,
    city: input.shipping_city,
    state: input.shipping_state,
    zip: input.shipping_zip,
    country: input.shipping_country,
  };
  const given = Object.values(own).some((field) => field !== undefined && field !== '');
  const { address, city, state, zip, country } = given ? own : (customer ?? own);
  const filled = { address: address ?? '', city: city ?? '', state: state ?? '', zip: zip ?? '' };
  return { given, address: { ...filled, country: country || shop.country } };
}

/** Throws validation_failed for a method that is not the customer's, or was removed. */
export async function requireSavedMethod(tx: Tx, companyId: number, customerId: number, id: number): Promise<void> {
  if (await hasSavedMethod(tx, companyId, customerId, id)) return;
  throw invalidField('saved_method_id', 'Unknown saved payment method of the customer', 'unknown');
}

async function hasSavedMethod(tx: Tx, companyId: number, customerId: number, id: number): Promise<boolean> {
  return (await findSavedMethods(tx, companyId, [id])).get(id)?.customer_id === customerId;
}

export async function requireFrequency(tx: Tx, companyId: number, id: number): Promise<FrequencyRow> {
  const frequency = await holdFrequency(tx, companyId, id);
  if (frequency?.active !== true) throw invalidField('frequency_id', 'Unknown frequency', 'unknown');
  return frequency;
}

interface SignUp {
  email: string | null;
  first_name: string;
  last_name: string;
  erased: boolean;
  address: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
  country: string | null;
}

/** Locks the customer, so that a merge waits and then reassigns the subscription. */
async function findSignUpCustomer(db: Tx, companyId: number, id: number): Promise<SignUp | undefined> {
  const rows = await db.query<SignUp>(sql`
    select email, first_name, last_name, erased_at is not null as erased, address, city, state, zip, country
    from customers where company_id = ${companyId} and id = ${id} for key share`);
  return rows[0];
}

interface SignUpProduct extends Pick<StockedProduct, 'id' | 'price' | 'subscription_enabled' | 'variants'> {
  archived: boolean;
}

/** Locks the product, so that nobody removes it before the subscription exists. */
async function findSignUpProduct(db: Tx, companyId: number, id: number): Promise<SignUpProduct | undefined> {
  const rows = await db.query<SignUpProduct>(sql`
    select p.id, p.price, p.subscription_enabled, ${NOT_SOLD} as archived, ${ACTIVE_VARIANTS} as variants
    from products p where p.company_id = ${companyId} and p.id = ${id} for key share`);
  return rows[0];
}
