import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { Status } from '../../ui/Status.tsx';
import type { Product } from './queries.ts';
import { Stock } from './Stock.tsx';

export function ListPage() {
  const { api, can } = useShop();
  const format = useFormat();
  return (
    <List<Product>
      name="products"
      title={t('nav.products')}
      load={(query, signal) => rowsOf(api.GET('/products', { params: { query }, signal }))}
      idOf={(product) => product.id}
      path={(product) => `products/${product.id}`}
      search={{ key: 'search', placeholder: t('products.search') }}
      columns={[
        { key: 'name', title: t('field.name'), cell: (product) => product.name, csv: (product) => product.name },
        {
          key: 'sku',
          title: t('product.sku'),
          wide: true,
          cell: (product) => product.sku ?? '',
          csv: (product) => product.sku,
        },
        {
          key: 'categories',
          title: t('product.categories'),
          wide: true,
          cell: (product) => product.categories.join(', '),
          csv: (product) => product.categories.join(' '),
        },
        {
          key: 'status',
          title: t('field.status'),
          optional: true,
          cell: (product) => <Status value={product.archived ? 'archived' : 'active'} />,
          csv: (product) => (product.archived ? 'archived' : 'active'),
        },
        {
          key: 'subscription_enabled',
          title: t('product.subscribable'),
          optional: true,
          wide: true,
          cell: (product) => (product.subscription_enabled ? t('choice.yes') : t('choice.no')),
          csv: (product) => product.subscription_enabled,
        },
        {
          key: 'stock_qty',
          title: t('product.stock'),
          align: 'right',
          cell: (product) => <Stock quantity={product.stock_qty} />,
          csv: (product) => product.stock_qty,
        },
        {
          key: 'price',
          title: t('field.price'),
          align: 'right',
          cell: (product) => format.money(product.price),
          csv: (product) => product.price,
        },
        {
          key: 'updated_at',
          title: t('field.changed'),
          optional: true,
          wide: true,
          cell: (product) => <Moment at={product.updated_at} />,
          csv: (product) => product.updated_at,
        },
      ]}
      filters={[
        { key: 'in_stock', title: t('product.in_stock'), type: 'yes_no' },
        { key: 'subscription_enabled', title: t('product.subscribable'), type: 'yes_no' },
      ]}
      {...(can('products:write') ? { create: { path: 'products/new', text: t('product.new') } } : {})}
      empty={{ icon: 'package', title: t('products.empty'), text: t('products.empty.text') }}
    />
  );
}
