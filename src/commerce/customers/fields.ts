import { isCommonPassword } from '../../access/passwords/common-passwords.ts';
import { foldText } from '../../db/fold.ts';
import { type FieldError, validationFailed } from '../../errors.ts';
import { normaliseEmail, normalisePhone } from '../../lib/addresses.ts';
import { problem, wrong } from '../../lib/validation/problems.ts';
import { mergeCustom, type ValueContext } from '../custom-fields/values.ts';
import { checkMetadata, mergeText, readCountry } from '../fields.ts';
import { readState, type StateRules } from '../states.ts';
import type { CustomerRow, CustomerValues } from './queries.ts';
import type { CustomerPatch } from './schemas.ts';

export const NO_CUSTOMER: CustomerRow = {
  email: null,
  first_name: '',
  last_name: '',
  phone: null,
  accepts_marketing: false,
  address: null,
  city: null,
  state: null,
  zip: null,
  country: null,
  metadata: {},
  custom: {},
};

/**
 * Merges the given fields with the old values; null and empty strings clear a field. Phone numbers without a country code are parsed with
 * the customer's country, otherwise the shop's (alpha-2); so are states. Throws validation_failed with every failing field.
 */
export function customerValues(
  given: CustomerPatch & { password?: string | null },
  old: CustomerRow,
  shop: { name: string; country: string } & StateRules,
  context: ValueContext,
): CustomerValues {
  const errors: FieldError[] = [];
  const email = given.email === undefined ? old.email : emailOf(given.email, errors);
  const country = given.shipping_country === undefined ? old.country : countryOf(given.shipping_country, errors);
  const state =
    given.shipping_state && readState('shipping_state', given.shipping_state, country || shop.country, shop, errors);
  checkMetadata(given.metadata, errors);
  if (given.password != null) checkPassword(given.password, shop.name, errors);
  const custom = mergeCustom(context, 'customer', given.custom, old === NO_CUSTOMER ? null : old.custom, errors);
  if (errors.length > 0) throw validationFailed(errors);
  const firstName = mergeText(given.first_name, old.first_name) ?? '';
  const lastName = mergeText(given.last_name, old.last_name) ?? '';
  const phone = given.phone === undefined ? old.phone : phoneOf(given.phone, country ?? shop.country);
  return {
    email,
    firstName,
    lastName,
    phone,
    acceptsMarketing: given.accepts_marketing ?? old.accepts_marketing,
    address: mergeText(given.shipping_address, old.address),
    city: mergeText(given.shipping_city, old.city),
    state: mergeText(state, old.state),
    zip: mergeText(given.shipping_zip, old.zip),
    country,
    metadata: given.metadata ?? old.metadata,
    custom,
    search: foldText(`${firstName} ${lastName} ${email ?? ''} ${phone ?? ''}`),
  };
}

/** Keeps the client's spelling; only an international domain is normalised. */
function emailOf(given: string, errors: FieldError[]): string | null {
  const normal = normaliseEmail(given);
  if (normal === null) {
    errors.push(wrong('email', problem('no_email'), 'wrong_format'));
    return null;
  }
  return given.toLowerCase() === normal ? given : normal;
}

function countryOf(given: string | null, errors: FieldError[]): string | null {
  return given ? readCountry('shipping_country', given, errors) : null;
}

function phoneOf(given: string | null, country: string): string | null {
  if (!given) return null;
  return normalisePhone(given, country) ?? given;
}

/** @param shopName refused as a password as well */
export function checkPassword(password: string, shopName: string, errors: FieldError[]): void {
  if (!isCommonPassword(password, [shopName])) return;
  errors.push(wrong('password', problem('common_password'), 'too_common'));
}
