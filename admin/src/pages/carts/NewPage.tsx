import './texts.ts';
import { useState } from 'react';
import { useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { Loaded } from '../../ui/DetailPage.tsx';
import { CartPage } from './CartPage.tsx';
import { emptyCart, NO_CART, useCart } from './queries.ts';

/** An order that staff take. Its cart is created by the first change, and its number is in the address from then on. */
export function NewPage() {
  const { company } = useShop();
  const [values, change] = useSearchValues();
  const id = Number(values.cart) || NO_CART;
  const [visit, setVisit] = useState({ id, n: 0 });
  // What is being typed stays when the cart is created, and only then.
  if (visit.id !== id) setVisit({ id, n: visit.id === NO_CART ? visit.n : visit.n + 1 });
  const query = useCart(id);
  if (id !== NO_CART && query.data === undefined) return <Loaded query={query}>{() => null}</Loaded>;
  return (
    <CartPage
      key={visit.n}
      cart={query.data ?? emptyCart(company.currency)}
      onCreated={(cart) => change({ cart: String(cart.id) })}
    />
  );
}
