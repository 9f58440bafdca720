import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { missingOf } from '../../../../src/commerce/carts/ready.ts';
import { dataOf } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { useGo } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { Section } from '../../ui/DetailPage.tsx';
import { fieldText, say, textOf } from '../../ui/messages.tsx';
import type { Order } from '../orders/queries.ts';
import { Sums } from '../orders/Sums.tsx';
import css from './carts.module.css';
import { type Pay, PayBy } from './PayBy.tsx';
import { PayLink } from './PayLink.tsx';
import { type Cart, cartKey } from './queries.ts';
import type { CartWrites } from './useCartWrites.ts';

interface SummaryProps {
  cart: Cart;
  writes: CartWrites;
  /** Whether something that was typed is not in the price yet. */
  stale: boolean;
  /** Saves what is still being typed; false where it was refused. */
  flush(): Promise<boolean>;
  onPlaced(): void;
}

/** The price of a cart, and the buttons that place the order, or begin to pay it. */
export function Summary({ cart, writes, stale, flush, onPlaced }: SummaryProps) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const go = useGo();
  /** Places the order, with or without money, or begins to pay it; null where what was typed could not be saved. */
  const place = useWrite<{ order: Order | null } | null, Pay | null>({
    mutationFn: async (pay) => {
      if (!(await flush())) return null;
      const id = await writes.id();
      if (id === null) throw new ApiError(422, 'cart_not_ready', '');
      const params = { path: { id } };
      if (pay === null) return { order: await dataOf(api.POST('/carts/{id}/place', { params })) };
      const { total } = client.getQueryData<Cart>(cartKey(company, id)) ?? cart;
      const { methodId: method_id, received } = pay;
      if (received === null) {
        return dataOf(api.POST('/carts/{id}/pay', { params, body: { method_id, expected_total: total } }));
      }
      const payments = [{ method_id, amount: received === 'total' ? total : received }];
      return { order: await dataOf(api.POST('/carts/{id}/place', { params, body: { payments } })) };
    },
    onSuccess: async (done) => {
      if (done === null) return;
      onPlaced();
      say(done.order === null ? t('cart.reserved') : t('cart.placed', { id: done.order.id }));
      if (done.order !== null) go(`orders/${done.order.id}`, { replace: true });
      await client.invalidateQueries({ queryKey: [company.id] });
    },
    onError: () => client.invalidateQueries({ queryKey: [company.id, 'carts'] }),
  });
  const { isError, error, reset } = place;
  // What was refused may be right after a change; what is missing is listed until it is there.
  const isOver = isError && stale && !isUnready(error);
  useEffect(() => {
    if (isOver) reset();
  }, [isOver, reset]);
  return (
    <Section title={t('cart.summary')} flush>
      <div aria-live="polite" aria-busy={stale} className={stale ? css.stale : undefined}>
        <Sums order={cart} shipping={cart.shipping_method?.name ?? null} />
        {cart.estimated ? <p className={`${css.hint} dim`}>{t('cart.estimated')}</p> : null}
      </div>
      {isError ? <Refusal cart={cart} error={error} /> : null}
      <div className={css.place}>
        <Button fullWidth loading={place.isPending} onClick={() => place.mutate(null)}>
          {t('cart.place')}
        </Button>
        <PayBy cart={cart} busy={place.isPending} onPay={place.mutate} />
        {cart.lines.length === 0 ? null : (
          <PayLink cart={cart} cartId={async () => ((await flush()) ? writes.id() : null)} />
        )}
      </div>
    </Section>
  );
}

function isUnready(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'cart_not_ready';
}

/** Why the order could not be placed. */
function Refusal({ cart, error }: { cart: Cart; error: Error }) {
  if (!isUnready(error)) {
    return (
      <p role="alert" className={css.refusal}>
        {reasonOf(cart, error)}
      </p>
    );
  }
  const missing = missingOf(cart);
  if (missing.length === 0) return null;
  return (
    <div role="alert" className={css.refusal}>
      {t('cart.missing')}
      <ul>
        {missing.map((name) => (
          <li key={name}>{tOf('cart.missing', name)}</li>
        ))}
      </ul>
    </div>
  );
}

/** Problems of the cart are shown in words where they are. */
function reasonOf({ problems }: Cart, error: Error): string {
  if (!(error instanceof ApiError)) return textOf(error);
  if (error.code === 'total_changed') return t('cart.total_changed');
  if (error.code === 'payment_method_unavailable') return t('cart.method_unavailable');
  if (error.status === 422 && problems.some(({ code }) => code !== 'price_changed')) return t('cart.refused');
  return error.fields.length > 0 ? error.fields.map(fieldText).join('; ') : textOf(error);
}
