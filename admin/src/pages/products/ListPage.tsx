import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type BodyOf, dataOf, ok, rowsOf } from '../../api/client.ts';
import { useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { Clamp } from '../../ui/Clamp.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { BulkDialog } from '../../ui/list/BulkDialog.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { sortBy, sortByAge } from '../../ui/list/sorting.tsx';
import type { BulkAction } from '../../ui/list/types.ts';
import { say, sayError } from '../../ui/messages.tsx';
import { Status } from '../../ui/Status.tsx';
import { useCategoryNames } from '../categories/queries.ts';
import { isFacetFilter } from './facets.ts';
import css from './ListPage.module.css';
import { Picture } from './Picture.tsx';
import { usePriceText } from './price.ts';
import type { Product } from './queries.ts';
import { ListedStock } from './Stock.tsx';
import { useFacetFilters } from './useFacetFilters.ts';

function NameWithPicture({ product }: { product: Product }) {
  return (
    <span className={css.name}>
      <Picture product={product} />
      <Clamp text={product.name} />
    </span>
  );
}

interface Archiving {
  filters: BodyOf<'/products/archive-all', 'post'>['filters'];
  total: number;
  unselect: () => void;
  archived: boolean;
}

export function ListPage() {
  const { api, company, can } = useShop();
  const priceText = usePriceText();
  const client = useQueryClient();
  const [archivingAll, setArchivingAll] = useState<Archiving | null>(null);
  const [values] = useSearchValues();
  const { status: shown = 'active', category = '' } = values;
  const facets = useFacetFilters(values);
  // Actions on all products know no filters by options and custom fields.
  const isWhole = !Object.keys(values).some(isFacetFilter);
  const names = useCategoryNames();
  const categories = [...names].map(([value, label]) => ({ value, label }));
  if (category !== '' && !names.has(category)) categories.push({ value: category, label: category });
  const change = useWrite({
    mutationFn: async ({ products, archived }: { products: Product[]; archived: boolean }) => {
      for (const { id } of products) {
        const params = { path: { id: String(id) } };
        await dataOf(api.PATCH('/products/{id}', { params, body: { archived } }));
      }
    },
    onSuccess: (_done, { products, archived }) =>
      say(t(archived ? 'product.archived_n' : 'product.restored_n', { n: products.length })),
    onError: sayError,
    onSettled: () => client.invalidateQueries({ queryKey: [company.id, 'products'] }),
  });
  const archiveSelected = async (products: Product[], unselect: () => void): Promise<void> => {
    const n = products.length;
    const question = { title: t('product.archive_all.title', { n }), text: t('product.archive_all.text') };
    if (await ask({ ...question, action: t('product.archive') }))
      change.mutate({ products, archived: true }, { onSuccess: unselect });
  };
  const archiveAll =
    (archived: boolean): BulkAction<Product>['all'] =>
    (filters, total, unselect) =>
      setArchivingAll({ filters, total, unselect, archived });
  return (
    <>
      <List<Product>
        name="products"
        title={t('nav.products')}
        resource="products"
        load={async (query, signal) => {
          const loaded = await rowsOf(api.GET('/products', { params: { query }, signal }));
          facets.learn(loaded.rows);
          return loaded;
        }}
        idOf={(product) => product.id}
        path={(product) => `products/${product.id}`}
        search={{ key: 'search', placeholder: t('products.search'), ranked: true }}
        columns={[
          {
            key: 'name',
            title: t('field.name'),
            sort: sortBy('name'),
            cell: (product) => <NameWithPicture product={product} />,
            csv: (product) => product.name,
          },
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
            cell: (product) => product.categories.map((slug) => names.get(slug) ?? slug).join(', '),
            csv: (product) => product.categories.join(' '),
          },
          {
            key: 'status',
            title: t('field.status'),
            optional: true,
            cell: (product) => <ListedStatus product={product} />,
            csv: (product) => product.status,
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
            sort: sortBy('stock'),
            align: 'right',
            cell: (product) => <ListedStock product={product} />,
            csv: (product) => product.stock_qty,
          },
          {
            key: 'price',
            title: t('field.price'),
            sort: sortBy('price'),
            align: 'right',
            cell: (product) => priceText(product, 'from'),
            csv: (product) => product.price,
          },
          {
            key: 'created_at',
            title: t('field.created'),
            sort: sortByAge(),
            optional: true,
            wide: true,
            cell: (product) => <Moment at={product.created_at} />,
            csv: (product) => product.created_at,
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
          {
            key: 'category',
            title: t('product.categories'),
            type: 'choice',
            choices: categories,
          },
          { key: 'in_stock', title: t('product.in_stock'), type: 'yes_no' },
          { key: 'subscription_enabled', title: t('product.subscribable'), type: 'yes_no' },
          {
            key: 'status',
            title: t('field.status'),
            type: 'choice',
            none: tOf('status', 'active'),
            choices: ['draft', 'archived'].map((value) => ({ value, label: tOf('status', value) })),
            reveals: true,
          },
          ...facets.filters,
        ]}
        bulk={
          !can('products:write')
            ? []
            : shown !== 'active'
              ? [
                  {
                    text: shown === 'draft' ? t('product.publish') : t('product.restore'),
                    icon: 'refresh',
                    run: (products, unselect) => change.mutate({ products, archived: false }, { onSuccess: unselect }),
                    ...(isWhole ? { all: archiveAll(false) } : {}),
                  },
                ]
              : [
                  {
                    text: t('product.archive'),
                    icon: 'package',
                    run: (products, unselect) => void archiveSelected(products, unselect),
                    ...(isWhole ? { all: archiveAll(true) } : {}),
                  },
                ]
        }
        {...(can('products:write') ? { create: { path: 'products/new', text: t('product.new') } } : {})}
        empty={{ icon: 'package', title: t('products.empty'), text: t('products.empty.text') }}
      />
      {archivingAll === null ? null : (
        <BulkDialog
          title={t(archivingAll.archived ? 'product.archive_all.title' : 'product.restore_all.title', {
            n: archivingAll.total,
          })}
          text={t(archivingAll.archived ? 'product.archive_all.text' : 'product.restore_all.text')}
          start={() => {
            const path = archivingAll.archived ? '/products/archive-all' : '/products/restore-all';
            return ok(api.POST(path, { body: { filters: archivingAll.filters } }));
          }}
          onStarted={archivingAll.unselect}
          onClose={() => setArchivingAll(null)}
        />
      )}
    </>
  );
}

/** The status, and when a draft will be published. */
function ListedStatus({ product: { status, publish_at } }: { product: Product }) {
  const format = useFormat();
  return (
    <>
      <Status value={status} />
      {publish_at === null ? null : (
        <div className="dim">{t('product.publish_on', { at: format.moment(publish_at) })}</div>
      )}
    </>
  );
}
