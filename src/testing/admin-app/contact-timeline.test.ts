import { describe, expect, test } from 'vitest';
import { orderOfEvent, summaryOf, summaryOfEvent } from '../../../admin/src/pages/contacts/entries.ts';

const at = '2026-03-01 12:00:00';
const last_at = '2026-03-02 12:00:00';

describe('an event in the timeline of a contact', () => {
  test('leads to the order and the customer of this shop', () => {
    const event_data = { order_id: '12', customer_id: '5', total: 34.5, currency: 'JPY' };
    const placed = { source: 'shop', event_data };
    expect(orderOfEvent(placed)).toEqual({ id: '12', isOwn: true, amount: 34.5, currency: 'JPY' });
    expect(summaryOfEvent(placed).customer).toBe('5');
  });

  test('of another shop has no link, and shows no invalid currency', () => {
    const placed = {
      source: 'api',
      event_data: { order_id: '12', customer_id: '5', total: 34.5, currency: 'credits' },
    };
    expect(orderOfEvent(placed)).toEqual({ id: '12', isOwn: false, amount: 34.5, currency: null });
    expect(summaryOfEvent(placed).customer).toBeNull();
    expect(orderOfEvent({ source: 'api', event_data: { order_id: 12, total: '34.5' } })).toMatchObject({
      id: '12',
      amount: null,
    });
    for (const event_data of [null, 'x', {}, { order_id: {} }]) {
      expect(orderOfEvent({ source: 'shop', event_data })).toBeNull();
    }
  });
});

describe('what an event of a contact is about', () => {
  const nothing = {
    order: null,
    amount: null,
    products: [],
    customer: null,
    subscription: null,
    list: null,
    points: null,
  };

  test('is the amount and the products of an order, and the amount of a refund', () => {
    const items = [{ name: 'Mug', quantity: 2 }, { name: 'Bowl', quantity: 'many' }, { price: 3 }, 'Plate'];
    const event_data = { order_id: '12', total: 34.5, currency: 'EUR', items };
    expect(summaryOfEvent({ source: 'shop', event_data })).toEqual({
      ...nothing,
      order: { id: '12', isOwn: true, amount: 34.5, currency: 'EUR' },
      products: [
        { name: 'Mug', quantity: 2 },
        { name: 'Bowl', quantity: null },
      ],
    });
    const refunded = { source: 'shop', event_data: { ...event_data, amount: 10 } };
    expect(summaryOfEvent(refunded).order).toMatchObject({ amount: 10 });
  });

  test('is what a cart is worth, the product that was viewed, the list that was joined, and points', () => {
    const cart = { cart_total: 12, currency: 'EUR', items: [{ name: 'Mug', quantity: 1 }] };
    expect(summaryOfEvent({ source: 'api', event_data: cart })).toEqual({
      ...nothing,
      amount: { value: 12, currency: 'EUR' },
      products: [{ name: 'Mug', quantity: 1 }],
    });
    const viewed = { product_id: '1', product_name: 'Mug', price: 4 };
    expect(summaryOfEvent({ source: 'api', event_data: viewed })).toEqual({
      ...nothing,
      amount: { value: 4, currency: null },
      products: [{ name: 'Mug', quantity: null }],
    });
    const joined = { contact_id: 3, list_id: 8, list_name: 'News' };
    expect(summaryOfEvent({ source: 'shop', event_data: joined })).toEqual({
      ...nothing,
      list: { id: 8, name: 'News' },
    });
    const adjusted = { customer_id: '5', points: -20 };
    expect(summaryOfEvent({ source: 'shop', event_data: adjusted })).toEqual({
      ...nothing,
      customer: '5',
      points: -20,
    });
  });

  test('leads to subscriptions of this shop alone', () => {
    const event_data = { subscription_id: '7', plan: 'Monthly' };
    expect(summaryOfEvent({ source: 'shop', event_data }).subscription).toBe('7');
    expect(summaryOfEvent({ source: 'api', event_data }).subscription).toBeNull();
  });
});

describe('a message in the timeline of a contact', () => {
  test('sums up its opens, clicks and orders', () => {
    const activity = [
      { type: 'machine_opened', at },
      { type: 'opened', at, last_at },
      { type: 'clicked', at },
      { type: 'link_clicked', at, url: 'https://shop.example/a' },
      { type: 'link_clicked', at },
      { type: 'converted', at, amount: 19.99, currency: 'EUR', order_id: '12', source: 'shop' },
      { type: 'converted', at, amount: 5, currency: 'EUR' },
      { type: 'unsubscribed', at },
    ];
    expect(summaryOf({ activity })).toEqual({
      opened: { first: at, last: last_at },
      isOpenedByProgram: false,
      clicked: { links: 2, urls: ['https://shop.example/a'], last: at },
      orders: [
        { id: '12', isOwn: true, amount: 19.99, currency: 'EUR' },
        { id: '', isOwn: false, amount: 5, currency: 'EUR' },
      ],
      others: ['unsubscribed'],
    });
  });

  test('that only a program opened is not opened', () => {
    const { opened, isOpenedByProgram } = summaryOf({ activity: [{ type: 'machine_opened', at }] });
    expect([opened, isOpenedByProgram]).toEqual([null, true]);
  });
});
