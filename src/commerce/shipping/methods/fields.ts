import { type FieldError, validationFailed } from '../../../errors.ts';
import { problem, wrong } from '../../../lib/validation/problems.ts';
import { readAmount } from '../../fields.ts';
import { fromMinor } from '../../money.ts';
import type { Shop } from '../../shop.ts';
import type { ShippingRate } from '../match.ts';
import type { ShippingMethod, ShippingMethodPatch } from './contract.ts';
import type { MethodRow, MethodValues } from './queries.ts';

/** Merges the given fields with the old values; `old` is null for a new method. Throws validation_failed with every failing field. */
export function methodValues(given: ShippingMethodPatch, old: MethodValues | null, shop: Shop): MethodValues {
  const errors: FieldError[] = [];
  const type = given.type ?? old!.type;
  const rate = rateOf(type, given, old !== null && old.type === type ? old : null, shop, errors);
  if (errors.length > 0) throw validationFailed(errors);
  return {
    ...rate,
    zone_id: given.zone_id ?? old!.zone_id,
    name: given.name ?? old!.name,
    position: given.position ?? old?.position ?? 0,
    active: given.active ?? old?.active ?? true,
  };
}

const AMOUNTS_OF = {
  flat: ['cost'],
  by_subtotal: ['brackets'],
  free_over: ['cost', 'free_over'],
} as const satisfies Record<ShippingRate['type'], readonly string[]>;

function rateOf(
  type: ShippingRate['type'],
  given: ShippingMethodPatch,
  old: ShippingRate | null,
  shop: Shop,
  errors: FieldError[],
): ShippingRate {
  const own: readonly string[] = AMOUNTS_OF[type];
  for (const field of ['cost', 'free_over', 'brackets'] as const) {
    const isGiven = given[field] != null;
    if (isGiven && !own.includes(field)) {
      errors.push({ field, code: 'not_allowed', message: `${field} is not for methods of type ${type}` });
    }
    if (own.includes(field) && (given[field] === null || (!isGiven && old === null))) {
      const message = `${field} is required for methods of type ${type}`;
      errors.push({ field, code: 'required', message, problem: { code: 'required', params: {} } });
    }
  }
  const before = old?.config as Partial<Record<'cost' | 'free_over', number>> | undefined;
  const amount = (field: 'cost' | 'free_over'): number =>
    given[field] == null ? (before?.[field] ?? 0) : readAmount(field, given[field], shop, errors);
  switch (type) {
    case 'flat':
      return { type, config: { cost: amount('cost') } };
    case 'free_over':
      return { type, config: { cost: amount('cost'), free_over: amount('free_over') } };
    case 'by_subtotal': {
      const kept = old?.type === type ? old.config.brackets : [];
      return { type, config: { brackets: given.brackets ? bracketsOf(given.brackets, shop, errors) : kept } };
    }
  }
}

/** Returns the brackets in ascending order, on which `costOf` relies. */
function bracketsOf(given: { from: number; cost: number }[], shop: Shop, errors: FieldError[]) {
  if (given.length === 0) errors.push(wrong('brackets', problem('no_bracket'), 'too_short'));
  const brackets = given.map(({ from, cost }, i) => ({
    from: readAmount(`brackets.${i}.from`, from, shop, errors),
    cost: readAmount(`brackets.${i}.cost`, cost, shop, errors),
  }));
  if (new Set(brackets.map(({ from }) => from)).size < brackets.length) {
    errors.push(wrong('brackets', problem('bracket_twice')));
  }
  return brackets.sort((a, b) => a.from - b.from);
}

export function methodRecord(row: MethodRow, shop: Shop): ShippingMethod {
  const major = (minor: number): number => fromMinor(minor, shop.exponent);
  return {
    id: row.id,
    zone_id: row.zone_id,
    name: row.name,
    position: row.position,
    type: row.type,
    cost: row.type === 'by_subtotal' ? null : major(row.config.cost),
    free_over: row.type === 'free_over' ? major(row.config.free_over) : null,
    brackets:
      row.type === 'by_subtotal'
        ? row.config.brackets.map(({ from, cost }) => ({ from: major(from), cost: major(cost) }))
        : null,
    active: row.active,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
