import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors.ts';
import { checkTotal, methodFor, methodsFor } from './choose.ts';
import type { PaymentMethod } from './method.ts';

const METHOD: PaymentMethod = {
  id: 7,
  provider: 'manual',
  kind: 'bank_transfer',
  name: 'Bank transfer',
  description: null,
  instructions: null,
  account_id: null,
  position: 0,
  active: true,
  staff_only: false,
  places: 'when_paid',
  reserve_minutes: 10_080,
  capture: 'at_once',
  min_total: null,
  max_total: null,
};

/** Of the method that is chosen. */
const ACCOUNTS = [
  { id: 1, active: true },
  { id: 2, active: false },
];

const choose = (fields: Partial<PaymentMethod>, order: { total?: number; isStaff?: boolean } = {}, id = 7) => {
  const other = { ...METHOD, id: 8, name: 'Another' };
  const { total = 1_000, isStaff = false } = order;
  const method = methodFor({ paymentMethods: [other, { ...METHOD, ...fields }], paymentAccounts: ACCOUNTS }, id, {
    isStaff,
  });
  checkTotal(method, total);
  return method;
};

describe('methodFor and checkTotal', () => {
  test('returns the active method with the id', () => {
    expect(choose({})).toEqual(METHOD);
    expect(choose({ active: false }, {}, 8).name).toBe('Another');
  });

  test.each([
    ['is unknown', {}, {}, 9],
    ['is inactive', { active: false }, {}, 7],
    ['is inactive, for staff as well', { active: false }, { isStaff: true }, 7],
    ['is for staff only', { staff_only: true }, {}, 7],
    ['has an inactive account', { account_id: 2 }, {}, 7],
    ['has an inactive account, for staff as well', { account_id: 2 }, { isStaff: true }, 7],
    ['has an account that is gone', { account_id: 3 }, {}, 7],
    ['needs a higher total', { min_total: 1_001 }, {}, 7],
    ['needs a lower total', { max_total: 999 }, {}, 7],
    ['needs another total, for staff as well', { max_total: 999 }, { isStaff: true }, 7],
    ['needs a total, and there is nothing to pay', { min_total: 1 }, { total: 0 }, 7],
  ] as const)('refuses a method that %s', (_why, fields, order, id) => {
    let refusal: unknown;
    try {
      choose(fields, order, id);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal).toMatchObject({ code: 'payment_method_unavailable', details: { method_id: id } });
  });

  test('a method of an active account is chosen, and offered to buyers', () => {
    expect(choose({ provider: 'stripe', kind: 'any', account_id: 1 }).id).toBe(7);
    const methods = [1, 2, 3].map((id): PaymentMethod => ({ ...METHOD, id, provider: 'stripe', account_id: id }));
    const paymentMethods = [...methods, { ...METHOD, staff_only: true }, { ...METHOD, id: 4, min_total: 1_001 }];
    const offered = (total: number) =>
      methodsFor({ paymentMethods, paymentAccounts: ACCOUNTS, exponent: 2 }, total).map(({ id }) => id);
    expect([offered(10), offered(10.01)]).toEqual([[1], [1, 4]]);
  });

  test('staff may choose methods for staff', () => {
    expect(choose({ staff_only: true }, { isStaff: true }).id).toBe(7);
  });

  test('the limits are part of the range', () => {
    const limits = { min_total: 500, max_total: 2_000 };
    for (const total of [500, 1_000, 2_000]) expect(choose(limits, { total }).id).toBe(7);
    for (const total of [499, 2_001]) expect(() => choose(limits, { total })).toThrow(AppError);
  });
});
