import { t } from '../../i18n/i18n.ts';
import { Section } from '../../ui/DetailPage.tsx';
import css from './DetailPage.module.css';
import type { Order } from './queries.ts';

type Address = Pick<Order, 'shipping_address' | 'shipping_zip' | 'shipping_city' | 'shipping_state'>;

/** Where an order or a cart goes; without a street, why there is none. */
export function ShipTo(props: { to: Address & { shipping_country: string | null }; none: string }) {
  const { shipping_address, shipping_zip, shipping_city, shipping_state, shipping_country } = props.to;
  return (
    <Section title={t('order.ship_to')}>
      <address className={css.address}>
        {shipping_address === '' ? <span className="dim">{props.none}</span> : shipping_address}
        <br />
        {[shipping_zip, shipping_city, shipping_state].filter(Boolean).join(' ')}
        <br />
        {shipping_country}
      </address>
    </Section>
  );
}
