import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { Status } from '../../ui/Status.tsx';
import type { Order } from '../orders/queries.ts';
import { useLatestOrders } from './queries.ts';

const LATEST = 5;

/** The customer's latest orders, and a link to all of them. */
export function Orders({ id }: { id: number }) {
  const format = useFormat();
  const query = useLatestOrders(id, LATEST);
  const { data } = query;
  return (
    <Section
      title={data === undefined ? t('nav.orders') : t('customer.orders', { n: format.number(data.total) })}
      actions={data !== undefined && data.total > LATEST ? <AllOrders id={id} /> : null}
      flush
    >
      <SmallTable
        caption={t('nav.orders')}
        query={query}
        rows={data?.rows}
        keyOf={(order) => order.id}
        empty={t('customer.no_orders')}
        columns={[
          { title: t('order.number'), cell: (order) => <Anchor path={`orders/${order.id}`}>#{order.id}</Anchor> },
          { title: t('field.placed'), cell: (order) => <Moment at={order.created_at} /> },
          { title: t('field.status'), cell: (order) => <Status value={order.status} /> },
          { title: t('order.payment'), wide: true, cell: paymentOf },
          {
            title: t('order.items'),
            wide: true,
            cell: itemsOf,
          },
          { title: t('order.total'), right: true, cell: (order) => format.money(order.total, order.currency) },
        ]}
      />
    </Section>
  );
}

function paymentOf({ payment_status: status }: Order) {
  return status === 'none' ? <span className="dim">–</span> : <Status value={status} of="payment_status" />;
}

function itemsOf({ items }: Order): string {
  const [one] = items;
  const first = one === undefined ? '' : `${one.qty} × ${one.product_name}`;
  return items.length > 1 ? t('customer.items_more', { first, n: items.length - 1 }) : first;
}

function AllOrders({ id }: { id: number }) {
  return <Anchor path={`orders?customer_id=${id}`}>{t('customer.all_orders')}</Anchor>;
}
