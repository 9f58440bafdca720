import { Button } from '@mantine/core';
import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Day, useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { sortBy } from '../../ui/list/sorting.tsx';
import { Status } from '../../ui/Status.tsx';
import { ListedCustomer } from '../customers/CustomerName.tsx';
import { type WithCustomer, withCustomers } from '../customers/queries.ts';
import { ProductName } from '../products/ProductName.tsx';
import { nextOf } from './going-on.ts';
import { STATUSES, type Subscription } from './queries.ts';

export function ListPage() {
  const { api, can } = useShop();
  const format = useFormat();
  return (
    <List<WithCustomer<Subscription>>
      name="subscriptions"
      live="subscriptions"
      title={t('nav.subscriptions')}
      actions={
        <>
          <Button component={Anchor} path="subscriptions/frequencies" variant="default">
            {t('frequency.title')}
          </Button>
          <Button component={Anchor} path="subscriptions/calendar" variant="default">
            {t('subscription.calendar.open')}
          </Button>
        </>
      }
      resource="subscriptions"
      load={async (query, signal) =>
        withCustomers(api, await rowsOf(api.GET('/subscriptions', { params: { query }, signal })), signal)
      }
      idOf={(one) => one.id}
      path={(one) => `subscriptions/${one.id}`}
      columns={[
        { key: 'id', title: t('field.number'), cell: (one) => `#${one.id}`, csv: (one) => one.id },
        {
          key: 'customer',
          title: t('field.customer'),
          cell: (one) => <ListedCustomer id={one.customer_id} customer={one.customer} />,
          csv: (one) => one.customer_id,
        },
        {
          key: 'product',
          title: t('field.product'),
          wide: true,
          cell: (one) => <ProductName id={one.product_id} />,
          csv: (one) => one.product_id,
        },
        {
          key: 'frequency',
          title: t('subscription.frequency'),
          wide: true,
          cell: (one) => one.frequency_name,
          csv: (one) => one.frequency_name,
        },
        {
          key: 'status',
          title: t('field.status'),
          cell: (one) => <Status value={one.status} />,
          csv: (one) => one.status,
        },
        {
          key: 'next',
          title: t('subscription.next'),
          sort: sortBy('next_renewal'),
          cell: (one) => <Day on={nextOf(one)} />,
          csv: nextOf,
        },
        {
          key: 'amount',
          title: t('order.total'),
          align: 'right',
          wide: true,
          cell: (one) => format.money(one.price * one.quantity),
          csv: (one) => one.price * one.quantity,
        },
      ]}
      filters={[
        {
          key: 'status',
          title: t('field.status'),
          type: 'choice',
          choices: STATUSES.map((value) => ({ value, label: tOf('status', value) })),
        },
        { key: 'renews_on', title: t('subscription.renews_on'), type: 'day' },
      ]}
      {...(can('subscriptions:write') ? { create: { path: 'subscriptions/new', text: t('subscription.new') } } : {})}
      empty={{ icon: 'repeat', title: t('subscription.empty'), text: t('subscription.empty.text') }}
    />
  );
}
