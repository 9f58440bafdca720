import { SegmentedControl } from '@mantine/core';
import { oneOf, useSearchValues } from '../../app/nav.ts';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import css from './Page.module.css';
import { SOLD_BY, type SoldBy, useProducts } from './queries.ts';

export function BestSellers() {
  const format = useFormat();
  const [values, change] = useSearchValues();
  const by: SoldBy = oneOf(SOLD_BY, values.by, 'product');
  const query = useProducts(by);
  const { data } = query;
  return (
    <Section
      title={t('home.best_sellers')}
      flush
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t('home.sold_by')}
          value={by}
          onChange={(chosen) => change({ by: chosen === 'product' ? '' : chosen })}
          data={SOLD_BY.map((value) => ({ value, label: tOf('home.sold_by', value) }))}
        />
      }
    >
      <SmallTable
        caption={t('home.best_sellers')}
        query={query}
        rows={data?.best_sellers}
        keyOf={(product) => product.product_id}
        empty={t('home.best_sellers.none')}
        columns={[
          {
            title: t('field.product'),
            cell: (product) => <Anchor path={`products/${product.product_id}`}>{product.name}</Anchor>,
          },
          { title: t('home.sold'), right: true, cell: (product) => format.number(product.qty) },
          {
            title: t('home.measure.revenue'),
            right: true,
            cell: (product) => format.money(product.revenue, data?.currency),
          },
        ]}
      />
    </Section>
  );
}

export function RunningOut() {
  const query = useProducts();
  const { data } = query;
  if (data === undefined || data.running_out.length === 0) return null;
  return (
    <Section title={t('home.running_out')} flush>
      <ul className={css.list}>
        {data.running_out.map((product) => (
          <li key={product.product_id}>
            <Anchor path={`products/${product.product_id}`}>{product.name}</Anchor>
            <span className={`${css.count} num dim`}>
              {product.stock_qty === 0
                ? t('home.sold_out')
                : t('home.days_left', { n: product.days_left, stock: product.stock_qty })}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
