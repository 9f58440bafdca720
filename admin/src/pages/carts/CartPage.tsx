import { Button } from '@mantine/core';
import { dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useAct } from '../../ui/actions/useAct.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';
import { useCustomFields } from '../custom-fields/queries.ts';
import { ClosedCart } from './ClosedCart.tsx';
import { OpenCart } from './OpenCart.tsx';
import { type Cart, NO_CART } from './queries.ts';

/** A cart; one that does not exist yet is created by its first change. */
export function CartPage({ cart, onCreated }: { cart: Cart; onCreated?: (cart: Cart) => void }) {
  const { can } = useShop();
  const fields = useCustomFields('order');
  const isTaken = cart.status === 'open' && cart.origin === 'staff';
  const mayChange = cart.status === 'open' && can('carts:write');
  return (
    <>
      <PageHeader
        title={isTaken ? t('order.new') : t('cart.title', { id: cart.id })}
        back={isTaken ? { path: 'orders', text: t('nav.orders') } : { path: 'carts', text: t('nav.carts') }}
        {...(cart.id === NO_CART ? {} : { badge: <Status value={cart.status} /> })}
      >
        {mayChange && cart.id !== NO_CART ? <Cancel cart={cart} /> : null}
      </PageHeader>
      {mayChange ? (
        <Loaded query={fields}>
          {(custom) => <OpenCart cart={cart} custom={custom} {...(onCreated === undefined ? {} : { onCreated })} />}
        </Loaded>
      ) : (
        <ClosedCart cart={cart} />
      )}
    </>
  );
}

function Cancel({ cart: { id } }: { cart: Cart }) {
  const { api } = useShop();
  const act = useAct();
  const cancel = async (): Promise<void> => {
    const sure = await ask({
      title: t('cart.cancel.title', { id }),
      text: t('cart.cancel.text'),
      action: t('cart.cancel'),
    });
    if (sure) await act(() => dataOf(api.DELETE('/carts/{id}', { params: { path: { id } } })), t('cart.cancelled'));
  };
  return (
    <Button variant="default" onClick={() => void cancel()}>
      {t('cart.cancel')}
    </Button>
  );
}
