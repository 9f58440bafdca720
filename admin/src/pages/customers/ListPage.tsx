import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Moment } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { sortBy, sortByAge } from '../../ui/list/sorting.tsx';
import { type Customer, nameOf } from './queries.ts';

export function ListPage() {
  const { api, can } = useShop();
  return (
    <List<Customer>
      name="customers"
      title={t('nav.customers')}
      resource="customers"
      load={(query, signal) => rowsOf(api.GET('/customers', { params: { query }, signal }))}
      idOf={(customer) => customer.id}
      path={(customer) => `customers/${customer.id}`}
      search={{ key: 'search', placeholder: t('customers.search') }}
      filters={[{ key: 'tag', title: t('contact.tag'), type: 'text' }]}
      moreSorts={[
        {
          title: t('customer.spent'),
          sort: {
            ...sortBy('spent'),
            labels: { asc: t('customer.spent.least'), desc: t('customer.spent.most') },
          },
        },
        {
          title: t('customer.last_order'),
          sort: {
            ...sortBy('last_order'),
            labels: { asc: t('customer.last_order.oldest'), desc: t('customer.last_order.newest') },
          },
        },
      ]}
      columns={[
        { key: 'name', title: t('field.name'), cell: nameOf, csv: nameOf },
        {
          key: 'email',
          title: t('field.email'),
          cell: (customer) => customer.email,
          csv: (customer) => customer.email,
        },
        {
          key: 'phone',
          title: t('field.phone'),
          wide: true,
          cell: (customer) => customer.phone,
          csv: (customer) => customer.phone,
        },
        {
          key: 'place',
          title: t('field.city'),
          wide: true,
          cell: (customer) => [customer.shipping_city, customer.shipping_country].filter(Boolean).join(', '),
          csv: (customer) => [customer.shipping_city, customer.shipping_country].filter(Boolean).join(', '),
        },
        {
          key: 'accepts_marketing',
          title: t('customer.marketing'),
          cell: (customer) => (customer.accepts_marketing ? t('choice.yes') : t('choice.no')),
          csv: (customer) => customer.accepts_marketing,
        },
        {
          key: 'created_at',
          title: t('field.created'),
          sort: sortByAge(),
          wide: true,
          cell: (customer) => <Moment at={customer.created_at} />,
          csv: (customer) => customer.created_at,
        },
      ]}
      {...(can('customers:write') ? { create: { path: 'customers/new', text: t('customer.new') } } : {})}
      empty={{ icon: 'users', title: t('customers.empty'), text: t('customers.empty.text') }}
    />
  );
}
