import { describe, expect, test } from 'vitest';
import { addressToFill } from '../../../admin/src/pages/carts/address.ts';
import { shownStatus } from '../../../admin/src/pages/contacts/status.ts';
import { withoutCancelled } from '../../../admin/src/pages/home/kept-orders.ts';
import { statusOf } from '../../../admin/src/pages/promo-codes/status.ts';
import { nextOf } from '../../../admin/src/pages/subscriptions/going-on.ts';

test('Home counts the orders of which it shows the average', () => {
  const figures = { orders: 3, cancelled: 1, revenue: 50, average: 25, returning: 0 };
  const period = {
    from: '2026-01-01',
    to: '2026-01-01',
    total: figures,
    intervals: [{ start: '2026-01-01', ...figures }],
  };
  const overview = { period, compared: period };
  const shown = withoutCancelled(overview);
  for (const { total, intervals } of [shown.period, shown.compared!]) {
    expect([total.orders, intervals[0]!.orders]).toEqual([2, 2]);
    expect(total.average * total.orders).toBe(total.revenue);
  }
  expect(withoutCancelled({ period, compared: null }).compared).toBeNull();
});

describe('a promo code is shown as', () => {
  const now = new Date('2026-06-01T12:00:00Z');
  const code = { active: true, starts_at: null, ends_at: null, usage_limit: null, used_count: 7 };
  test.each([
    ['active', {}],
    ['active', { starts_at: '2026-05-01T00:00:00Z', ends_at: '2026-06-01T12:00:01Z', usage_limit: 8 }],
    ['expired', { ends_at: '2026-06-01T12:00:00Z' }],
    ['scheduled', { starts_at: '2026-06-02T00:00:00Z' }],
    ['used_up', { usage_limit: 7 }],
    ['inactive', { active: false, ends_at: '2026-05-01T00:00:00Z' }],
  ])('%s: %j', (status, fields) => {
    expect(statusOf({ ...code, ...fields }, now)).toBe(status);
  });
});

test('a subscription has a next delivery only while it delivers', () => {
  const next_billing_date = '2026-06-01';
  const shown = (['active', 'past_due', 'paused', 'cancelled', 'expired'] as const).map((status) =>
    nextOf({ status, next_billing_date }),
  );
  expect(shown).toEqual([next_billing_date, next_billing_date, null, null, null]);
});

describe('the address of a new order', () => {
  const address = (street: string) => ({
    shipping_address: street,
    shipping_zip: '78701',
    shipping_city: 'Austin',
    shipping_state: 'TX',
    shipping_country: 'US',
  });
  const nowhere = { ...address(''), shipping_zip: '', shipping_city: '' };

  test('is that of the last order, otherwise the customer’s own', () => {
    expect(addressToFill(nowhere, address('Last 1'), address('Own 1'))).toEqual(address('Last 1'));
    expect(addressToFill(nowhere, undefined, address('Own 1'))).toEqual(address('Own 1'));
    expect(addressToFill(nowhere, undefined, nowhere)).toBeNull();
  });

  test('stays where the cart has one', () => {
    expect(addressToFill(address('Typed 1'), address('Last 1'), nowhere)).toBeNull();
  });
});

test('a contact who was never asked for consent is not shown as unsubscribed', () => {
  const since = '2026-01-01 00:00:00';
  const consentOf = (email: 'subscribed' | 'unsubscribed' | 'never', sms: 'unsubscribed' | 'never') => ({
    email: { state: email, since, source: 'api' },
    sms: { state: sms, since, source: 'api' },
  });
  const ada = { status: 'unsubscribed' as const, email: 'ada@example.com', phone: null };
  const bob = { status: 'unsubscribed' as const, email: null, phone: '+4915112345678' };
  expect(shownStatus({ ...ada, consent: consentOf('never', 'never') })).toBe('never');
  expect(shownStatus({ ...ada, consent: consentOf('unsubscribed', 'never') })).toBe('unsubscribed');
  expect(shownStatus({ ...bob, consent: consentOf('subscribed', 'never') })).toBe('never');
  expect(shownStatus({ ...bob, consent: consentOf('never', 'unsubscribed') })).toBe('unsubscribed');
  expect(shownStatus({ ...ada, status: 'bounced', consent: consentOf('subscribed', 'never') })).toBe('bounced');
});
