import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import css from './Page.module.css';
import { useProducts } from './queries.ts';

export function BestSellers() {
  const format = useFormat();
  const query = useProducts();
  const { data } = query;
  return (
    <Section title={t('home.best_sellers')} flush>
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
