import { type FieldError, validationFailed } from '../../errors.ts';
import { type KnownProblem, problem, wrong } from '../../lib/validation/problems.ts';
import { readAmount } from '../fields.ts';
import { fromMinor } from '../money.ts';
import type { Shop } from '../shop.ts';
import { benefitOf, readBenefit, valueRecord } from './benefit-fields.ts';
import type { PromoCode, PromoCodeInput, PromoCodePatch } from './contract.ts';
import type { PromoBenefit } from './discount.ts';
import type { PromoRow, PromoValues } from './queries.ts';

/** The terms of a code for which only code, type and value are given. */
const NO_TERMS = {
  scope: 'order',
  product_ids: [],
  category_slugs: [],
  collection_ids: [],
  min_subtotal: null,
  max_discount: null,
  starts_at: null,
  ends_at: null,
  usage_limit: null,
  per_customer_limit: null,
  first_order_only: false,
  active: true,
  is_template: false,
  valid_days: null,
  used_count: 0,
} as const;

/** Throws validation_failed with every failing field. */
export function newPromo(input: PromoCodeInput, shop: Shop): PromoValues {
  const errors: FieldError[] = [];
  const benefit = readBenefit(input.type, input.value ?? null, shop, errors);
  const old = { ...NO_TERMS, ...benefit, code: input.code };
  return merged(input, old, benefit, shop, errors);
}

/** Merges the given fields with the old values. Throws validation_failed with every failing field. */
export function changedPromo(patch: PromoCodePatch, old: PromoValues, shop: Shop): PromoValues {
  const errors: FieldError[] = [];
  const type = patch.type ?? old.type;
  const keeps = type === old.type && patch.value === undefined;
  const benefit = keeps ? benefitOf(old) : readBenefit(type, patch.value ?? null, shop, errors);
  return merged(patch, old, benefit, shop, errors);
}

function merged(
  given: PromoCodePatch,
  old: PromoValues,
  benefit: PromoBenefit,
  shop: Shop,
  errors: FieldError[],
): PromoValues {
  const scope = given.scope ?? old.scope;
  const terms = {
    code: given.code ?? old.code,
    scope,
    product_ids: [...new Set(given.product_ids ?? old.product_ids)],
    category_slugs: [...new Set(given.category_slugs ?? old.category_slugs)],
    // Kept for no other scope, so that only codes for a collection keep it from being deleted.
    collection_ids: scope === 'collections' ? [...new Set(given.collection_ids ?? old.collection_ids)] : [],
    min_subtotal: readLimit('min_subtotal', given, old, shop, errors),
    max_discount: readLimit('max_discount', given, old, shop, errors),
    starts_at: readMoment('starts_at', given, old, errors),
    ends_at: readMoment('ends_at', given, old, errors),
    usage_limit: given.usage_limit === undefined ? old.usage_limit : given.usage_limit,
    per_customer_limit: given.per_customer_limit === undefined ? old.per_customer_limit : given.per_customer_limit,
    first_order_only: given.first_order_only ?? old.first_order_only,
    active: given.active ?? old.active,
    is_template: given.is_template ?? old.is_template,
    valid_days: given.valid_days === undefined ? old.valid_days : given.valid_days,
    used_count: old.used_count,
  };
  checkTerms(terms, errors);
  checkTemplate(terms, errors);
  if (errors.length > 0) throw validationFailed(errors);
  return { ...terms, ...benefit };
}

function checkTerms(terms: Omit<PromoValues, 'type' | 'value'>, errors: FieldError[]): void {
  const fail = (field: string, kind: string, found: KnownProblem): void => void errors.push(wrong(field, found, kind));
  if (!/^[!-~]+$/.test(terms.code)) fail('code', 'wrong_format', problem('no_promo_code'));
  if (terms.scope === 'products' && terms.product_ids.length === 0) {
    fail('product_ids', 'required', problem('no_scope', { scope: 'products' }));
  }
  if (terms.scope === 'categories' && terms.category_slugs.length === 0) {
    fail('category_slugs', 'required', problem('no_scope', { scope: 'categories' }));
  }
  if (terms.scope === 'collections' && terms.collection_ids.length === 0) {
    fail('collection_ids', 'required', problem('no_scope', { scope: 'collections' }));
  }
  if (terms.starts_at !== null && terms.ends_at !== null && terms.ends_at <= terms.starts_at) {
    fail('ends_at', 'out_of_range', problem('end_before'));
  }
  if (terms.usage_limit !== null && terms.usage_limit < terms.used_count) {
    fail('usage_limit', 'out_of_range', problem('used_more', { used: terms.used_count }));
  }
}

/** The code of a template is used as a word in message templates. */
const TEMPLATE_CODE = /^[A-Za-z]\w{0,59}$/;

function checkTemplate({ is_template, valid_days, code }: Omit<PromoValues, 'type' | 'value'>, errors: FieldError[]) {
  const fail = (field: string, message: string): void => void errors.push({ field, code: 'not_allowed', message });
  if (valid_days !== null && !is_template) fail('valid_days', 'valid_days is for templates of coupons');
  if (is_template && !TEMPLATE_CODE.test(code))
    fail(
      'code',
      'The code of a template is a word of at most 60 letters, digits and underscores that begins with a letter',
    );
}

function readLimit(
  field: 'min_subtotal' | 'max_discount',
  given: PromoCodePatch,
  old: PromoValues,
  shop: Shop,
  errors: FieldError[],
): number | null {
  const value = given[field];
  if (value === undefined) return old[field];
  return value === null ? null : readAmount(field, value, shop, errors);
}

function readMoment(
  field: 'starts_at' | 'ends_at',
  given: PromoCodePatch,
  old: PromoValues,
  errors: FieldError[],
): Date | null {
  const value = given[field];
  if (value === undefined) return old[field];
  if (value === null) return null;
  const moment = new Date(value);
  // The schema's format allows leap seconds, which no Date can be.
  if (Number.isNaN(moment.getTime())) errors.push({ field, code: 'wrong_format', message: `${field} is no moment` });
  return moment;
}

export function promoRecord(row: PromoRow, shop: Shop): PromoCode {
  const major = (minor: number | null): number | null => (minor === null ? null : fromMinor(minor, shop.exponent));
  return {
    id: row.id,
    code: row.code,
    type: row.type,
    value: valueRecord(row, shop),
    scope: row.scope,
    product_ids: [...row.product_ids],
    category_slugs: [...row.category_slugs],
    collection_ids: [...row.collection_ids],
    min_subtotal: major(row.min_subtotal),
    max_discount: major(row.max_discount),
    starts_at: row.starts_at?.toISOString() ?? null,
    ends_at: row.ends_at?.toISOString() ?? null,
    usage_limit: row.usage_limit,
    per_customer_limit: row.per_customer_limit,
    first_order_only: row.first_order_only,
    active: row.active,
    is_template: row.is_template,
    valid_days: row.valid_days,
    template_id: row.template_id,
    used_count: row.used_count,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
