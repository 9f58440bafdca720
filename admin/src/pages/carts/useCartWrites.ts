import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import type { Over } from '../../ui/form/contested.ts';
import { type Cart, type CartPatch, cartKey, NO_CART } from './queries.ts';

export type CartWrites = ReturnType<typeof useCartWrites>;

/** Writes to the shown cart. The first one creates a cart that does not exist yet. */
export function useCartWrites(cart: Cart, onCreated?: (cart: Cart) => void) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const created = useRef<Promise<Cart> | null>(null);
  const last = useRef<Cart | null>(null);

  const keep = (written: Cart): Cart => {
    last.current = written;
    client.setQueryData(cartKey(company, written.id), written);
    return written;
  };
  /** Creates the cart from `first`, or calls `send` with the number of the one that exists. */
  const write = async (first: BodyOf<'/carts', 'post'>, send: (id: number) => Promise<Cart>): Promise<Cart> => {
    if (cart.id !== NO_CART) return keep(await send(cart.id));
    if (created.current !== null) return keep(await send((await created.current).id));
    const creation = dataOf(api.POST('/carts', { body: first }));
    created.current = creation;
    try {
      const made = keep(await creation);
      onCreated?.(made);
      return made;
    } catch (error) {
      created.current = null;
      throw error;
    }
  };

  return {
    change: (body: CartPatch, headers: Over = {}): Promise<Cart> =>
      write(body, (id) => dataOf(api.PATCH('/carts/{id}', { params: { path: { id } }, body, headers }))),
    add: (product_id: number): Promise<Cart> => {
      const body = { lines: [{ product_id, qty: 1 }] };
      return write(body, (id) => dataOf(api.POST('/carts/{id}/lines', { params: { path: { id } }, body })));
    },
    changeQty: (line_id: number, qty: number, headers: Over): Promise<Cart> => {
      const params = { path: { id: cart.id, line_id } };
      return dataOf(api.PATCH('/carts/{id}/lines/{line_id}', { params, body: { qty }, headers })).then(keep);
    },
    /** The number of the cart once it exists. */
    id: async (): Promise<number | null> => {
      if (cart.id !== NO_CART) return cart.id;
      return created.current === null ? null : (await created.current).id;
    },
    /** The cart as the last of these writes left it. */
    last,
  };
}
