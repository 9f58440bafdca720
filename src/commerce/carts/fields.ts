import type { FieldError } from '../../errors.ts';
import { normaliseEmail, normalisePhone } from '../../lib/addresses.ts';
import { problem, wrong } from '../../lib/validation/problems.ts';
import type { CustomValues } from '../custom-fields/definition.ts';
import { pickValues } from '../custom-fields/values.ts';
import { checkMetadata, mergeText, readAmount, readCountry } from '../fields.ts';
import type { Billing } from '../orders/contract.ts';
import type { Shop } from '../shop.ts';
import { readState } from '../states.ts';
import { type CartPatch, type LineInput, type LinePatch, MAX_LINES, MAX_QTY } from './contract.ts';
import type { CartLine, CartValues } from './row.ts';

export const NEW_CART: CartValues = {
  customer_id: null,
  email: null,
  first_name: '',
  last_name: '',
  phone: null,
  lines: [],
  last_line_id: 0,
  promo_code: null,
  redeem_points: 0,
  shipping_address: '',
  shipping_city: '',
  shipping_state: '',
  shipping_zip: '',
  shipping_country: null,
  shipping_method_id: null,
  location_id: null,
  billing: null,
  accepts_marketing: null,
  custom: {},
  metadata: {},
  note: null,
};

/** Without values of custom fields that were deleted since. */
export function knownCustom(custom: CustomValues, { customFields }: Pick<Shop, 'customFields'>): CustomValues {
  return pickValues(
    customFields.filter(({ on }) => on === 'order'),
    custom,
  );
}

/** Merges the given fields with the cart's, without `custom`, which is checked against the definitions. Null clears a field. Adds errors. */
export function mergeFields(old: CartValues, given: CartPatch, shop: Shop, errors: FieldError[]): CartValues {
  const text = (value: string | null | undefined, before: string): string => mergeText(value, before) ?? '';
  const country =
    given.shipping_country === undefined
      ? old.shipping_country
      : countryOf('shipping_country', given.shipping_country, errors);
  const state = text(given.shipping_state, old.shipping_state);
  const isMoved = given.shipping_state !== undefined || given.shipping_country !== undefined;
  checkMetadata(given.metadata, errors);
  return {
    customer_id: given.customer_id === undefined ? old.customer_id : given.customer_id,
    email: given.email === undefined ? old.email : emailOf(given.email, errors),
    first_name: text(given.first_name, old.first_name),
    last_name: text(given.last_name, old.last_name),
    phone: given.phone === undefined ? old.phone : phoneOf(given.phone, country ?? shop.country),
    lines: old.lines,
    last_line_id: old.last_line_id,
    promo_code: mergeText(given.promo_code, old.promo_code),
    redeem_points: given.redeem_points ?? old.redeem_points,
    shipping_address: text(given.shipping_address, old.shipping_address),
    shipping_city: text(given.shipping_city, old.shipping_city),
    shipping_state: isMoved ? readState('shipping_state', state, country || shop.country, shop, errors) : state,
    shipping_zip: text(given.shipping_zip, old.shipping_zip),
    shipping_country: country,
    shipping_method_id: given.shipping_method_id === undefined ? old.shipping_method_id : given.shipping_method_id,
    location_id: given.location_id === undefined ? old.location_id : given.location_id,
    billing: given.billing === undefined ? old.billing : billingOf(given.billing, shop, errors),
    accepts_marketing: given.accepts_marketing === undefined ? old.accepts_marketing : given.accepts_marketing,
    custom: knownCustom(old.custom, shop),
    metadata: given.metadata ?? old.metadata,
    note: mergeText(given.note, old.note),
  };
}

function countryOf(field: string, given: string | null, errors: FieldError[]): string | null {
  return given ? readCountry(field, given, errors) : null;
}

function emailOf(given: string | null, errors: FieldError[]): string | null {
  if (!given) return null;
  const email = normaliseEmail(given);
  if (email === null) errors.push(wrong('email', problem('no_email'), 'wrong_format'));
  return email;
}

function phoneOf(given: string | null, country: string): string | null {
  return given ? (normalisePhone(given, country) ?? given) : null;
}

function billingOf(given: CartPatch['billing'], shop: Shop, errors: FieldError[]): Billing | null {
  if (given == null) return null;
  return {
    first_name: given.first_name ?? '',
    last_name: given.last_name ?? '',
    company: given.company ?? '',
    address: given.address,
    city: given.city,
    state: given.state ?? '',
    zip: given.zip,
    country: countryOf('billing.country', given.country ?? null, errors) ?? shop.country,
  };
}

/** A product as far as a line of a cart needs it. */
interface Sold {
  price: number;
}

/** Adds products to the lines of a cart; one that it has already gets more units, and its present price as the price when it was added. */
export function addLines(
  cart: CartValues,
  given: readonly LineInput[],
  productOf: (id: number) => Sold | undefined,
  shop: Shop,
  errors: FieldError[],
): CartValues {
  const lines = cart.lines.map((line) => ({ ...line }));
  let lastId = cart.last_line_id;
  given.forEach(({ product_id, qty, ...override }, i) => {
    const added_price = productOf(product_id)?.price ?? 0;
    let line = lines.find((one) => one.product_id === product_id);
    if (line === undefined) {
      lastId += 1;
      line = { id: lastId, product_id, qty: 0, added_price, price_override: null, override_reason: null };
      lines.push(line);
    }
    line.qty += qty;
    line.added_price = added_price;
    if (line.qty > MAX_QTY) {
      const field = `lines.${i}.qty`;
      errors.push({ field, code: 'out_of_range', message: `${field}: a line may have ${MAX_QTY} units` });
    }
    Object.assign(line, overrideOf(override, line, { field: `lines.${i}.price_override`, shop, errors }));
  });
  if (lines.length > MAX_LINES) {
    errors.push({ field: 'lines', code: 'too_long', message: `A cart may have ${MAX_LINES} lines` });
  }
  return { ...cart, lines, last_line_id: lastId };
}

/** Changes one line. */
export function changeLine(
  cart: CartValues,
  id: number,
  { qty, ...override }: LinePatch,
  shop: Shop,
  errors: FieldError[],
): CartValues {
  const lines = cart.lines.map((line): CartLine => {
    if (line.id !== id) return line;
    return {
      ...line,
      qty: qty ?? line.qty,
      ...overrideOf(override, line, { field: 'price_override', shop, errors }),
    };
  });
  return { ...cart, lines };
}

function overrideOf(
  given: Pick<LinePatch, 'price_override' | 'override_reason'>,
  old: CartLine,
  { field, shop, errors }: { field: string; shop: Shop; errors: FieldError[] },
): Pick<CartLine, 'price_override' | 'override_reason'> {
  const price =
    given.price_override == null ? given.price_override : readAmount(field, given.price_override, shop, errors);
  const price_override = price === undefined ? old.price_override : price;
  const reason = mergeText(given.override_reason, old.override_reason);
  // A reason without a price means nothing.
  return { price_override, override_reason: price_override === null ? null : reason };
}
