import { expect, test } from 'vitest';
import { cartOf } from './cart.ts';

const NOTHING = { product_id: null, name: null, qty: 1, price: null, url: null, image: null };

test('a cart has the fields of the event, under one name each', () => {
  const url = 'https://shop.example/mug';
  const items = [
    { product_id: '7', name: 'Mug', price: 12.5, quantity: 2, url, image: `${url}.png` },
    { product_id: 8, name: 'Tea', price: 3, qty: 4, image_url: `${url}.jpg`, colour: 'green' },
  ];
  expect(cartOf({ email: 'a@example.com', cart_total: 37, items })).toEqual({
    items: [
      { product_id: '7', name: 'Mug', price: 12.5, qty: 2, url, image: `${url}.png` },
      { product_id: '8', name: 'Tea', price: 3, qty: 4, url: null, image: `${url}.jpg` },
    ],
    total: 37,
    recover_url: null,
  });
});

test('values of another type are omitted, and there are at most 50 items', () => {
  const odd = [{ name: { a: 1 }, price: '3', quantity: null, url: [], image: '' }, null, 'Mug', [1], 7];
  expect(cartOf({ items: odd, cart_total: '37', total: 40 })).toEqual({
    items: [NOTHING],
    total: 40,
    recover_url: null,
  });
  expect(cartOf({ items: Array(80).fill({}) })).toEqual({
    items: Array(50).fill(NOTHING),
    total: null,
    recover_url: null,
  });
  expect(cartOf({ items: [{ name: 'x'.repeat(9_000) }] })?.items[0]?.name).toHaveLength(2_000);
});

test('there is no cart without items', () => {
  for (const data of [{}, { items: [] }, { items: null }, { items: {} }, { items: 'x' }, { items: ['x'] }])
    expect(cartOf(data)).toBeNull();
});
