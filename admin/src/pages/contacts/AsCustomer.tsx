import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Facts, Section } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { Status } from '../../ui/Status.tsx';
import { CustomerName } from '../customers/CustomerName.tsx';
import { useFigures, useLatestOrders } from '../customers/queries.ts';
import css from './AsCustomer.module.css';

const LATEST = 3;

/** The customer that a contact is: what they spent, and their latest orders. */
export function AsCustomer({ id }: { id: number }) {
  const { can } = useShop();
  const format = useFormat();
  const seesOrders = can('orders:read');
  const { data: figures } = useFigures(id, seesOrders);
  const { data: orders } = useLatestOrders(id, LATEST, seesOrders);
  const all = orders === undefined ? null : t('customer.orders', { n: format.number(orders.total) });
  return (
    <Section title={t('field.customer')}>
      <div className="stack">
        <CustomerName id={id} />
        {figures === undefined ? null : (
          <Facts
            facts={[
              [t('customer.spent'), format.money(figures.spent, figures.currency)],
              figures.refunded === 0 ? null : [t('customer.net'), format.money(figures.net, figures.currency)],
            ]}
          />
        )}
        {orders === undefined || orders.total === 0 ? null : (
          <div>
            <Anchor path={`orders?customer_id=${id}`}>{all}</Anchor>
            <ul className="plain" aria-label={t('nav.orders')}>
              {orders.rows.map((order) => (
                <li key={order.id} className={css.order}>
                  <Anchor path={`orders/${order.id}`}>#{order.id}</Anchor>
                  <Status value={order.status} />
                  <span className="grow" />
                  <span>{format.money(order.total, order.currency)}</span>
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </Section>
  );
}
