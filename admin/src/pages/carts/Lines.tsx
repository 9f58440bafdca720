import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { useFormat } from '../../ui/format.tsx';
import { pictureOf } from '../../ui/picture.ts';
import css from './carts.module.css';
import { EditLine, type Quantity } from './EditLine.tsx';
import { LineProblems } from './Problems.tsx';
import type { Cart, Line } from './queries.ts';

/** How lines are changed; absent where they are only shown. */
export interface LineEditing {
  qtyOf(line: Line): Quantity;
}

/** The products of a cart, each with what it costs and what is wrong with it. */
export function Lines({ cart, editing }: { cart: Cart; editing?: LineEditing }) {
  const format = useFormat();
  if (cart.lines.length === 0) return <p className={`${css.none} dim`}>{t('cart.no_lines')}</p>;
  return (
    <ul className={css.lines} aria-label={t('order.items')}>
      {cart.lines.map((line) => (
        <li key={line.id}>
          <Picture url={line.image} />
          <span className={css.name}>
            <Anchor path={`products/${line.product_id}`} className="break">
              {line.name}
            </Anchor>
            {line.options.length === 0 ? null : (
              <span className="dim break">{line.options.map(({ name, value }) => `${name}: ${value}`).join(', ')}</span>
            )}
            <Price cart={cart} line={line} />
            <LineProblems cart={cart} line={line} />
          </span>
          <span className={css.amount}>
            <span className="num">{format.money(line.subtotal, cart.currency)}</span>
            {line.discount > 0 ? (
              <span className="dim num">
                {t('cart.line.discount', { amount: format.money(-line.discount, cart.currency) })}
              </span>
            ) : null}
            {line.tax > 0 ? (
              <span className="dim num">{t('cart.line.tax', { amount: format.money(line.tax, cart.currency) })}</span>
            ) : null}
          </span>
          {editing === undefined ? (
            <span className={`${css.edit} num`}>{t('cart.units', { n: line.qty })}</span>
          ) : (
            <EditLine cart={cart} line={line} qty={editing.qtyOf(line)} />
          )}
        </li>
      ))}
    </ul>
  );
}

function Picture({ url }: { url: string | null }) {
  const shown = url === null ? null : pictureOf(url, 'thumb');
  if (shown === null) return <span className={css.picture} />;
  return <img src={shown} alt="" loading="lazy" width={44} height={44} className={css.picture} />;
}

/** The price of a unit; one that was set for this cart is marked, with its reason. */
function Price({ cart, line }: { cart: Cart; line: Line }) {
  const format = useFormat();
  const price = format.money(line.price, cart.currency);
  if (line.price_override === null) return <span className="dim num">{price}</span>;
  return (
    <span className="break">
      <span className="num">{t('cart.own_price.marked', { price })}</span>
      {line.override_reason === null ? null : <span className="dim"> · {line.override_reason}</span>}
    </span>
  );
}
