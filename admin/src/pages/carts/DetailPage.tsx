import './texts.ts';
import { useId } from '../../app/nav.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { CartPage } from './CartPage.tsx';
import { useCart } from './queries.ts';

export function DetailPage() {
  return <Loaded query={useCart(useId())}>{(cart) => <CartPage key={cart.id} cart={cart} />}</Loaded>;
}
