import { type FieldError, validationFailed } from '../../../errors.ts';
import { problem, wrong } from '../../../lib/validation/problems.ts';
import { mergeText, readAmount } from '../../fields.ts';
import { fromMinor, type Minor } from '../../money.ts';
import type { Shop } from '../../shop.ts';
import type { PaymentMethod, PaymentMethodInput, PaymentMethodPatch } from './contract.ts';
import { type PaymentMethod as KeptMethod, KINDS } from './method.ts';
import type { MethodRow, MethodValues } from './queries.ts';

/** Seven days for money that is transferred by hand. */
const RESERVE_MINUTES = { manual: 10_080, service: 30 };

/** Throws validation_failed with every failing field. */
export function newMethod(given: PaymentMethodInput, shop: Shop): MethodValues {
  const provider = given.provider ?? 'manual';
  const start: MethodValues = {
    provider,
    kind: given.kind,
    name: given.name,
    description: null,
    instructions: null,
    account_id: null,
    position: 0,
    active: true,
    staff_only: false,
    places: placesOf(provider, given.kind),
    reserve_minutes: provider === 'manual' ? RESERVE_MINUTES.manual : RESERVE_MINUTES.service,
    capture: 'at_once',
    min_total: null,
    max_total: null,
  };
  return changedMethod(given, start, shop);
}

function placesOf(provider: KeptMethod['provider'], kind: string): KeptMethod['places'] {
  return provider !== 'manual' || kind === 'bank_transfer' ? 'when_paid' : 'at_once';
}

/** Returns the old values with the given ones. Throws validation_failed with every failing field. */
export function changedMethod(given: PaymentMethodPatch, old: MethodValues, shop: Shop): MethodValues {
  const errors: FieldError[] = [];
  const total = (field: 'min_total' | 'max_total'): Minor | null => {
    const amount = given[field];
    if (amount === undefined) return old[field];
    return amount === null ? null : readAmount(field, amount, shop, errors);
  };
  const { kind = old.kind, capture = old.capture, account_id = old.account_id } = given;
  checkProvider({ provider: old.provider, kind, capture, account_id }, errors);
  const [min_total, max_total] = [total('min_total'), total('max_total')];
  const isEmptyRange = min_total !== null && max_total !== null && max_total < min_total;
  if (errors.length === 0 && isEmptyRange) errors.push(wrong('max_total', problem('max_below_min'), 'out_of_range'));
  if (errors.length > 0) throw validationFailed(errors);
  return {
    provider: old.provider,
    kind,
    name: given.name ?? old.name,
    description: mergeText(given.description, old.description),
    instructions: mergeText(given.instructions, old.instructions),
    account_id,
    position: given.position ?? old.position,
    active: given.active ?? old.active,
    staff_only: given.staff_only ?? old.staff_only,
    places: given.places ?? old.places,
    reserve_minutes: given.reserve_minutes ?? old.reserve_minutes,
    capture,
    min_total,
    max_total,
  };
}

/** What manual methods and those of services do not share. */
function checkProvider(
  { provider, kind, capture, account_id }: Pick<KeptMethod, 'provider' | 'kind' | 'capture' | 'account_id'>,
  errors: FieldError[],
): void {
  if (provider !== 'manual') {
    if (account_id === null) errors.push(noAccount(provider, 'required'));
    return;
  }
  if (!(KINDS as readonly string[]).includes(kind)) errors.push(oneOf('kind', KINDS));
  if (capture !== 'at_once') errors.push(oneOf('capture', ['at_once']));
  if (account_id !== null) errors.push(wrong('account_id', problem('unfit_for_service', { name: 'manual' })));
}

export function noAccount(provider: string, kind = 'unknown'): FieldError {
  return wrong('account_id', problem('no_payment_account', { name: provider }), kind);
}

function oneOf(field: string, values: readonly string[]): FieldError {
  const list = values.join(', ');
  const message = `${field} must be one of: ${list}`;
  return { field, code: 'not_allowed', message, problem: { code: 'one_of', params: { list } } };
}

export function methodRecord(row: MethodRow, shop: Shop): PaymentMethod {
  const major = (minor: Minor | null): number | null => (minor === null ? null : fromMinor(minor, shop.exponent));
  return {
    ...row,
    min_total: major(row.min_total),
    max_total: major(row.max_total),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
