import { randomBetween } from '../load/http-request.ts';
import type { Target } from '../server/target.ts';
import type { Drain } from './drain.ts';

export const BUYERS = 32;
export const CHECKOUTS_OF_BUYER = 25;

interface Sent {
  id: number;
  status: string;
  payment?: { client_secret: string };
}

/** Sends a request of a shop's server and returns its data. */
export async function send({ port, shop }: Target, path: string, body: object): Promise<Sent> {
  const response = await fetch(`http://127.0.0.1:${port}/commerce/v1${path}`, {
    method: 'POST',
    headers: { 'X-API-Key': shop.key, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status > 201) throw new Error(`POST ${path}: ${response.status} ${text}`);
  return (JSON.parse(text) as { data: Sent }).data;
}

let cash = 0;

/** A cart of three lines with its address. */
export async function newCart(target: Target): Promise<Sent> {
  const { firstProduct, lastProduct, firstCustomer, lastCustomer } = target.shop;
  const third = Math.floor((lastProduct - firstProduct + 1) / 3);
  const lines = [0, 1, 2].map((i) => {
    return { product_id: firstProduct + i * third + randomBetween(0, third - 1), qty: 1 };
  });
  return send(target, '/carts', {
    customer_id: randomBetween(firstCustomer, lastCustomer),
    lines,
    shipping_address: '12 Harbour Street',
    shipping_city: 'Rotterdam',
    shipping_zip: '3011 AB',
    shipping_country: 'NL',
  });
}

/** A cart with its address, then its payment, one after the other as a browser sends them; the client runs on the same processors. */
async function checkOut(target: Target): Promise<void> {
  const cart = await newCart(target);
  const { status } = await send(target, `/carts/${cart.id}/pay`, { method_id: cash });
  if (status !== 'placed') throw new Error(`cart ${cart.id} is ${status}`);
}

export const checkout: Drain = {
  name: 'checkout',
  title: 'checkouts by 32 buyers: cart of 3 lines with address, paid in cash',
  async prepare(target) {
    cash = (await send(target, '/payment-methods', { kind: 'cash', name: 'Cash' })).id;
  },
  fill: () => Promise.resolve(BUYERS * CHECKOUTS_OF_BUYER),
  async done(target) {
    const buyers = Array.from({ length: BUYERS }, async () => {
      for (let n = 0; n < CHECKOUTS_OF_BUYER; n++) await checkOut(target);
    });
    await Promise.all(buyers);
    return true;
  },
  goal: 300,
};
