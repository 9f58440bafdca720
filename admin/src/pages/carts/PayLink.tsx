import { missingOf } from '../../../../src/commerce/carts/ready.ts';
import { dataOf } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { say, sayError } from '../../ui/messages.tsx';
import { PayLinkButton } from '../payments/PayLinkButton.tsx';
import type { Cart } from './queries.ts';

interface PayLinkProps {
  cart: Cart;
  /** Saves what is still being typed, and returns the number of the cart; null where that was refused. */
  cartId(): Promise<number | null>;
}

/** The button for a link to pay the cart; says what the cart lacks for it. */
export function PayLink({ cart, cartId }: PayLinkProps) {
  const { api } = useShop();
  return (
    <PayLinkButton
      fullWidth
      make={async (send) => {
        const id = await cartId();
        if (id === null) return null;
        return dataOf(api.POST('/carts/{id}/pay-link', { params: { path: { id } }, body: { send } }));
      }}
      onError={(error) => {
        const missing = missingOf(cart).map((name) => tOf('cart.missing', name));
        if (!(error instanceof ApiError) || error.code !== 'cart_not_ready') sayError(error);
        else say([t('pay_link.missing'), missing.join(', ')].join(' '), true);
      }}
    />
  );
}
