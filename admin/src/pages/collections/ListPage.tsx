import '../products/texts.ts';
import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import type { Collection } from './queries.ts';

export function ListPage() {
  const { api, can } = useShop();
  const format = useFormat();
  return (
    <List<Collection>
      name="collections"
      title={t('nav.collections')}
      resource="collections"
      load={(query, signal) => rowsOf(api.GET('/collections', { params: { query }, signal }))}
      idOf={(collection) => collection.id}
      path={(collection) => `collections/${collection.id}`}
      columns={[
        { key: 'name', title: t('field.name'), cell: ({ name }) => name, csv: ({ name }) => name },
        {
          key: 'kind',
          title: t('collection.kind'),
          cell: ({ kind }) => tOf('collection.kind', kind),
          csv: ({ kind }) => kind,
        },
        { key: 'slug', title: t('product.slug'), wide: true, cell: ({ slug }) => slug, csv: ({ slug }) => slug },
        {
          key: 'product_count',
          title: t('nav.products'),
          align: 'right',
          cell: ({ product_count, status }) =>
            status === 'updating' ? t('collection.updating') : format.number(product_count),
          csv: ({ product_count }) => product_count,
        },
        {
          key: 'created_at',
          title: t('field.created'),
          wide: true,
          cell: ({ created_at }) => <Moment at={created_at} />,
          csv: ({ created_at }) => created_at,
        },
      ]}
      {...(can('products:write') ? { create: { path: 'collections/new', text: t('collection.new') } } : {})}
      empty={{ icon: 'list-details', title: t('collections.empty'), text: t('collections.empty.text') }}
    />
  );
}
