import '../products/texts.ts';
import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import type { Category } from './queries.ts';

export function ListPage() {
  const { api, can } = useShop();
  const format = useFormat();
  return (
    <List<Category>
      name="categories"
      title={t('nav.categories')}
      resource="categories"
      load={(query, signal) => rowsOf(api.GET('/categories', { params: { query }, signal }))}
      idOf={({ slug }) => slug}
      path={({ slug }) => `categories/edit/${slug}`}
      search={{ key: 'search', placeholder: t('categories.search') }}
      columns={[
        { key: 'name', title: t('field.name'), cell: ({ name }) => name, csv: ({ name }) => name },
        { key: 'slug', title: t('product.slug'), wide: true, cell: ({ slug }) => slug, csv: ({ slug }) => slug },
        {
          key: 'position',
          title: t('field.position'),
          align: 'right',
          wide: true,
          cell: ({ position }) => format.number(position),
          csv: ({ position }) => position,
        },
        {
          key: 'product_count',
          title: t('nav.products'),
          align: 'right',
          cell: ({ product_count }) => format.number(product_count),
          csv: ({ product_count }) => product_count,
        },
      ]}
      {...(can('products:write') ? { create: { path: 'categories/new', text: t('category.new') } } : {})}
      empty={{ icon: 'list-check', title: t('categories.empty'), text: t('categories.empty.text') }}
    />
  );
}
