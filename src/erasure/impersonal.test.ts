import { expect, test } from 'vitest';
import { SHOP_EVENTS } from '../outbox/shop-events.ts';
import { IMPERSONAL_FIELDS } from './impersonal.ts';

test('an erasure keeps the fields that every event of a customer has, so that it still is as it is described', () => {
  const lost = Object.entries(SHOP_EVENTS).flatMap(([topic, { data }]) => {
    const { properties, required = [] } = data as { properties: object; required?: string[] };
    if (!('customer_id' in properties)) return [];
    return required.filter((field) => !IMPERSONAL_FIELDS.includes(field)).map((field) => `${topic}: ${field}`);
  });
  expect(lost).toEqual([]);
});
