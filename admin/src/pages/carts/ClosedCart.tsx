import { t } from '../../i18n/i18n.ts';
import { DetailColumns, Section } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { Billing } from '../orders/Billing.tsx';
import { ShipTo } from '../orders/ShipTo.tsx';
import { Sums } from '../orders/Sums.tsx';
import { BuyerText } from './Buyer.tsx';
import { CartFacts } from './CartFacts.tsx';
import { Lines } from './Lines.tsx';
import { Payment } from './Payment.tsx';
import { Problems } from './Problems.tsx';
import type { Cart } from './queries.ts';

/** A cart that cannot be changed any more, or not by this person. */
export function ClosedCart({ cart }: { cart: Cart }) {
  const format = useFormat();
  return (
    <DetailColumns
      side={
        <>
          {cart.payment === null ? null : <Payment cart={cart} payment={cart.payment} />}
          <ShipTo to={cart} none={t('cart.no_address')} />
          {cart.billing === null ? null : <Billing billing={cart.billing} />}
          <CartFacts
            cart={cart}
            more={[
              [t('order.promo'), cart.promo_code],
              cart.redeem_points > 0 ? [t('cart.points'), format.number(cart.redeem_points)] : null,
              [t('cart.note'), cart.note],
            ]}
          />
        </>
      }
    >
      <Problems cart={cart} />
      <Section title={t('order.items')} flush>
        <Lines cart={cart} />
        <Sums order={cart} shipping={cart.shipping_method?.name ?? null} />
      </Section>
      <Section title={t('cart.buyer')}>
        <BuyerText cart={cart} />
      </Section>
    </DetailColumns>
  );
}
