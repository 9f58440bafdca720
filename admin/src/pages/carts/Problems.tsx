import { t, tOf } from '../../i18n/i18n.ts';
import { useFormat } from '../../ui/format.tsx';
import css from './carts.module.css';
import type { Cart, Line } from './queries.ts';

/** What prevents the order and concerns no line. */
export function Problems({ cart }: { cart: Cart }) {
  const shown = cart.problems.filter(({ line_id }) => line_id === null);
  if (shown.length === 0) return null;
  return (
    <div className={css.problems} role="alert">
      {shown.map(({ code }) => (
        <p key={code}>{tOf('cart.problem', code)}</p>
      ))}
    </div>
  );
}

/** What prevents the order, or has changed, at a line. */
export function LineProblems({ cart, line }: { cart: Cart; line: Line }) {
  const format = useFormat();
  const textOf = (code: string): string =>
    code === 'price_changed'
      ? t('cart.price_was', { price: format.money(line.added_price, cart.currency) })
      : tOf('cart.problem', code);
  return cart.problems
    .filter(({ line_id }) => line_id === line.id)
    .map(({ code }) => (
      <span key={code} className={css.problem} data-mild={code === 'price_changed' || undefined}>
        {textOf(code)}
      </span>
    ));
}
