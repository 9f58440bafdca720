import { t } from '../../i18n/i18n.ts';
import { useFormat } from '../../ui/format.tsx';
import css from './DetailPage.module.css';

interface Summed {
  currency: string;
  subtotal: number;
  discount: number;
  shipping: number;
  tax: number;
  tax_lines: { name: string; amount: number }[];
  total: number;
}

/** How the total of an order is composed, line by line. */
export function Sums({ order, shipping }: { order: Summed; shipping: string | null }) {
  const format = useFormat();
  const money = (amount: number): string => format.money(amount, order.currency);
  const sums: [string, number][] = [
    [t('order.subtotal'), order.subtotal],
    ...(order.discount > 0 ? [[t('order.discount'), -order.discount] as [string, number]] : []),
    [shipping ?? t('order.shipping'), order.shipping],
    ...(order.tax_lines.length > 0
      ? order.tax_lines.map(({ name, amount }): [string, number] => [name, amount])
      : [[t('order.tax'), order.tax] as [string, number]]),
  ];
  return (
    <dl className={css.sums}>
      {sums.map(([name, amount]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="num">{money(amount)}</dd>
        </div>
      ))}
      <div className={css.total}>
        <dt>{t('order.total')}</dt>
        <dd className="num">{money(order.total)}</dd>
      </div>
    </dl>
  );
}
