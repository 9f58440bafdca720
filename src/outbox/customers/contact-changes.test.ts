import { expect, test } from 'vitest';
import type { CustomerContact } from '../../marketing/contacts/service.ts';
import { contactChanges, customerIdOf } from './contact-changes.ts';

const at = (minute: number): Date => new Date(Date.UTC(2026, 2, 15, 12, minute));
const event = (topic: string, payload: object, minute = 0) => ({
  id: minute + 1,
  topic,
  payload: { customer_id: '7', email: 'then@example.com', ...payload },
  occurred_at: at(minute),
  deliveries_queued: false,
  correlation: null,
});
const CUSTOMER = {
  id: 7,
  email: 'now@example.com',
  first_name: 'Ada',
  last_name: '',
  phone: null,
  accepts_marketing: true,
};
const news = (...events: ReturnType<typeof event>[]) => contactChanges(events, new Map([[7, CUSTOMER]]), new Map());

test('whether a customer accepts marketing comes along, and is news when they become one and when it changes', () => {
  const said = (...events: ReturnType<typeof event>[]) => {
    const [{ acceptsMarketing, saidSo }] = news(...events) as [CustomerContact];
    return [acceptsMarketing, saidSo];
  };
  const changed = (field: string, minute: number) => event('customer_updated', { changed: [field] }, minute);
  expect(said(event('customer_created', {}, 3))).toEqual([true, true]);
  expect(said(changed('accepts_marketing', 5))).toEqual([true, true]);
  expect(said(changed('email', 5))).toEqual([true, false]);
  expect(said(event('order_placed', {}, 6))).toEqual([true, false]);
  expect(said(changed('accepts_marketing', 5), event('order_placed', {}, 9))).toEqual([true, true]);
});

test('all events of a customer are merged into one entry with the current values; a name is cleared only if it was set', () => {
  expect(news(event('order_placed', {}), event('customer_updated', { changed: ['phone', 'last_name'] }, 1))).toEqual([
    {
      customerId: 7,
      email: 'now@example.com',
      firstName: 'Ada',
      lastName: null,
      phone: null,
      acceptsMarketing: true,
      saidSo: false,
    },
  ]);
  const [order] = news(event('order_placed', {}));
  expect([order!.lastName, order!.phone]).toEqual([undefined, undefined]);
});

test('a phone number comes along with news of the customer, and not with an order', () => {
  const phoneOf = (phone: string | null, ...events: ReturnType<typeof event>[]) => {
    const [change] = contactChanges(events, new Map([[7, { ...CUSTOMER, phone }]]), new Map());
    return 'phone' in change! ? change.phone : 'none';
  };
  expect(phoneOf('+4930123456', event('order_placed', {}))).toBe('none');
  expect(phoneOf('+4930123456', event('customer_updated', { changed: ['email'] }))).toBe('+4930123456');
  expect(phoneOf(null, event('customer_updated', { changed: ['email'] }))).toBe('none');
  expect(phoneOf(null, event('customer_updated', { changed: ['phone'] }))).toBe(null);
});

test('an event without a customer has none', () => {
  const idIn = (payload: object) => customerIdOf(event('order_placed', payload));
  expect([idIn({}), idIn({ customer_id: null }), idIn({ customer_id: undefined })]).toEqual([7, null, null]);
});
