import { useState } from 'react';
import { ORDER_STATUSES } from '../../../../src/commerce/orders/status.ts';
import { ORDER_PAYMENT_STATUSES } from '../../../../src/commerce/payments/status.ts';
import { type BodyOf, ok, rowsOf } from '../../api/client.ts';
import { useGo, useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { numberOf } from '../../ui/form/numbers.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { BulkDialog } from '../../ui/list/BulkDialog.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { sortByAge } from '../../ui/list/sorting.tsx';
import { Status } from '../../ui/Status.tsx';
import { CustomerText, ListedCustomer } from '../customers/CustomerName.tsx';
import { type WithCustomer, withCustomers } from '../customers/queries.ts';
import type { Order } from './queries.ts';
import { ShipDialog } from './ShipDialog.tsx';

type Filters = Record<string, string | number | boolean>;
/** Without the customer for roles that may not read customers. */
type ListedOrder = Order | WithCustomer<Order>;

/** Filters by days of the shop's time zone. */
function withTimeZone(query: Filters, zone: string): Filters {
  const hasDays = query.date_from !== undefined || query.date_to !== undefined;
  return hasDays ? { ...query, time_zone: zone } : query;
}

/** Converts the filters in the address to the API's request body. */
function orderFilters(
  { customer_id, ...filters }: Filters,
  zone: string,
): BodyOf<'/orders/ship-all', 'post'>['filters'] {
  const all = customer_id === undefined ? filters : { ...filters, customer_id: numberOf(String(customer_id)) };
  return withTimeZone(all, zone);
}

export function ListPage() {
  const { api, can, company } = useShop();
  const format = useFormat();
  const go = useGo();
  const [{ search: searched }] = useSearchValues();
  const [shipping, setShipping] = useState<{ orders: Order[]; unselect: () => void } | null>(null);
  const [shippingAll, setShippingAll] = useState<{ filters: Filters; total: number; unselect: () => void } | null>(
    null,
  );
  const pieces = (order: Order): number => order.items.reduce((sum, { qty }) => sum + qty, 0);
  return (
    <>
      <List<ListedOrder>
        name="orders"
        live="orders"
        title={t('nav.orders')}
        resource="orders"
        asked={(query) => withTimeZone(query, company.time_zone)}
        load={async (query, signal) => {
          const page = await rowsOf(api.GET('/orders', { params: { query }, signal }));
          return can('customers:read') ? withCustomers(api, page, signal) : page;
        }}
        idOf={(order) => order.id}
        path={(order) => `orders/${order.id}`}
        search={{ key: 'search', placeholder: t('orders.search'), ranked: true }}
        columns={[
          { key: 'id', title: t('order.number'), cell: (order) => `#${order.id}`, csv: (order) => order.id },
          {
            key: 'created_at',
            title: t('field.placed'),
            sort: sortByAge(),
            cell: (order) => <Moment at={order.created_at} />,
            csv: (order) => order.created_at,
          },
          ...(can('customers:read')
            ? [
                {
                  key: 'customer',
                  title: t('field.customer'),
                  cell: (order: ListedOrder) =>
                    'customer' in order ? <ListedCustomer id={order.customer_id} customer={order.customer} /> : null,
                  csv: (order: ListedOrder) => order.customer_id,
                },
              ]
            : []),
          {
            key: 'status',
            title: t('field.status'),
            cell: (order) => <Status value={order.status} />,
            csv: (order) => order.status,
          },
          {
            key: 'payment_status',
            title: t('order.payment'),
            cell: ({ payment_status: status }) =>
              status === 'none' ? <span className="dim">–</span> : <Status value={status} of="payment_status" />,
            csv: (order) => order.payment_status,
          },
          {
            key: 'ship_to',
            title: t('order.ship_to'),
            cell: (order) => `${order.shipping_city}, ${order.shipping_country}`,
            csv: (order) => `${order.shipping_city}, ${order.shipping_country}`,
          },
          {
            key: 'items',
            title: t('order.items'),
            align: 'right',
            wide: true,
            cell: (order) => format.number(pieces(order)),
            csv: pieces,
          },
          {
            key: 'tracking_number',
            title: t('order.tracking'),
            wide: true,
            cell: (order) => order.tracking_number ?? '',
            csv: (order) => order.tracking_number,
          },
          {
            key: 'promo_code',
            title: t('order.promo'),
            optional: true,
            wide: true,
            cell: (order) => order.promo_code ?? '',
            csv: (order) => order.promo_code,
          },
          {
            key: 'external_id',
            title: t('field.external_id'),
            optional: true,
            wide: true,
            cell: (order) => order.external_id ?? '',
            csv: (order) => order.external_id,
          },
          {
            key: 'total',
            title: t('order.total'),
            align: 'right',
            cell: (order) => format.money(order.total, order.currency),
            csv: (order) => order.total,
          },
        ]}
        filters={[
          {
            key: 'status',
            title: t('field.status'),
            type: 'choice',
            choices: ORDER_STATUSES.map((value) => ({ value, label: tOf('status', value) })),
          },
          { key: 'to_fulfill', title: t('order.to_fulfill'), type: 'yes_no' },
          {
            key: 'payment_status',
            title: t('order.payment'),
            type: 'choice',
            choices: ORDER_PAYMENT_STATUSES.filter((value) => value !== 'none').map((value) => ({
              value,
              label: tOf('payment_status', value),
            })),
          },
          {
            key: 'balance',
            title: t('order.balance'),
            type: 'choice',
            choices: (['due', 'credit'] as const).map((value) => ({ value, label: t(`order.balance.${value}`) })),
          },
          { key: 'customer_id', title: t('field.customer'), type: 'record', record: (id) => <CustomerText id={id} /> },
          { key: 'is_subscription', title: t('order.subscription'), type: 'yes_no' },
          { key: 'date_from', title: t('filter.from'), type: 'day' },
          { key: 'date_to', title: t('filter.to'), type: 'day' },
        ]}
        bulk={[
          ...(can('orders:write')
            ? [
                {
                  text: t('order.ship'),
                  icon: 'truck' as const,
                  run: (orders: Order[], unselect: () => void) => setShipping({ orders, unselect }),
                  // A search finds a limited number of the newest orders: those are shipped by selection.
                  ...(searched
                    ? {}
                    : {
                        all: (filters: Filters, total: number, unselect: () => void) =>
                          setShippingAll({ filters, total, unselect }),
                      }),
                },
              ]
            : []),
          {
            text: t('order.slips'),
            icon: 'printer',
            run: (orders) => go(`orders/print?ids=${orders.map(({ id }) => id).join('-')}`),
          },
          {
            text: t('order.invoices'),
            icon: 'printer',
            run: (orders) => go(`orders/invoice?ids=${orders.map(({ id }) => id).join('-')}`),
          },
        ]}
        {...(can('carts:write') ? { create: { path: 'orders/new', text: t('order.new') } } : {})}
        empty={{ icon: 'shopping-cart', title: t('orders.empty'), text: t('orders.empty.text') }}
      />
      {shippingAll === null ? null : (
        <BulkDialog
          title={t('order.ship_all.title', { n: shippingAll.total })}
          text={t('order.ship_all.text')}
          start={() =>
            ok(
              api.POST('/orders/ship-all', {
                body: { filters: orderFilters(shippingAll.filters, company.time_zone) },
              }),
            )
          }
          onStarted={shippingAll.unselect}
          onClose={() => setShippingAll(null)}
        />
      )}
      {shipping === null ? null : <ShipDialog {...shipping} onClose={() => setShipping(null)} />}
    </>
  );
}
