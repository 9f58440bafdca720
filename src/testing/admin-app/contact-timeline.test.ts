import { describe, expect, test } from 'vitest';
import { customerOfEvent, orderOfEvent, summaryOf } from '../../../admin/src/pages/contacts/entries.ts';

const at = '2026-03-01 12:00:00';
const last_at = '2026-03-02 12:00:00';

describe('an event in the timeline of a contact', () => {
  test('leads to the order and the customer of this shop', () => {
    const event_data = { order_id: '12', customer_id: '5', total: 34.5, currency: 'JPY' };
    const placed = { source: 'shop', event_data };
    expect(orderOfEvent(placed)).toEqual({ id: '12', isOwn: true, amount: 34.5, currency: 'JPY' });
    expect(customerOfEvent(placed)).toBe('5');
  });

  test('of another shop has no link, and shows no invalid currency', () => {
    const placed = {
      source: 'api',
      event_data: { order_id: '12', customer_id: '5', total: 34.5, currency: 'credits' },
    };
    expect(orderOfEvent(placed)).toEqual({ id: '12', isOwn: false, amount: 34.5, currency: null });
    expect(customerOfEvent(placed)).toBeNull();
    expect(orderOfEvent({ source: 'api', event_data: { order_id: 12, total: '34.5' } })).toMatchObject({
      id: '12',
      amount: null,
    });
    for (const event_data of [null, 'x', {}, { order_id: {} }]) {
      expect(orderOfEvent({ source: 'shop', event_data })).toBeNull();
    }
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
