import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../../api/client.ts';
import { useGo } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useAct } from '../../ui/actions/useAct.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { Facts, Section } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import css from './carts.module.css';
import { PayLink } from './PayLink.tsx';
import type { Cart } from './queries.ts';

/** How a cart is being paid, and what staff do when the money has come, or will not come. */
export function Payment({ cart, payment }: { cart: Cart; payment: NonNullable<Cart['payment']> }) {
  const { can } = useShop();
  const format = useFormat();
  const { label, amount, currency, reference, due_on, instructions } = payment;
  return (
    <Section title={t('cart.payment')}>
      <Facts
        facts={[
          [t('cart.payment.method'), label],
          [t('cart.payment.amount'), format.money(amount, currency)],
          [t('cart.payment.reference'), reference],
          [t('cart.payment.due'), due_on && format.day(due_on)],
          [
            t('cart.payment.instructions'),
            instructions && (
              <span key="instructions" className={css.instructions}>
                {instructions}
              </span>
            ),
          ],
          [t('cart.payment.reserved'), <Moment key="until" at={cart.reserved_until} />],
        ]}
      />
      {can('carts:write') ? <Actions cart={cart} payment={payment} /> : null}
    </Section>
  );
}

function Actions({ cart, payment }: { cart: Cart; payment: NonNullable<Cart['payment']> }) {
  const { id } = cart;
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const go = useGo();
  const act = useAct();
  const params = { path: { id } };
  const mayRecord = can('payments:write');
  const payments = mayRecord ? [{ method_id: payment.method_id, amount: payment.amount }] : [];
  const place = useWrite({
    mutationFn: () => dataOf(api.POST('/carts/{id}/place', { params, body: { payments } })),
    onSuccess: async (order) => {
      say(t('cart.placed', { id: order.id }));
      go(`orders/${order.id}`, { replace: true });
      await client.invalidateQueries({ queryKey: [company.id] });
    },
    onError: (error) => {
      sayError(error);
      return client.invalidateQueries({ queryKey: [company.id, 'carts'] });
    },
  });
  const cancel = async (): Promise<void> => {
    const sure = await ask({
      title: t('cart.reopen.title'),
      text: t('cart.reopen.text'),
      action: t('cart.reopen'),
    });
    if (sure) await act(() => dataOf(api.POST('/carts/{id}/reopen', { params })), t('cart.reopened'));
  };
  return (
    <div className={css.decide}>
      <Button
        className={css.tall ?? ''}
        classNames={{ label: css.wrapped ?? '' }}
        loading={place.isPending}
        onClick={() => place.mutate()}
      >
        {t(mayRecord ? 'cart.paid' : 'cart.place')}
      </Button>
      <Button variant="default" onClick={() => void cancel()}>
        {t('cart.reopen')}
      </Button>
      <PayLink cart={cart} cartId={() => Promise.resolve(cart.id)} />
    </div>
  );
}
