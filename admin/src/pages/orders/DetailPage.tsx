import { Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { allowedFrom } from '../../../../src/commerce/orders/status.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { DetailColumns, Facts, Loaded, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';
import { useAuditFact } from '../../ui/words/audit.tsx';
import { metadataFacts } from '../../ui/words/metadata.ts';
import { ContactLink } from '../customers/ContactLink.tsx';
import { CustomerName } from '../customers/CustomerName.tsx';
import { Notes } from '../notes/Notes.tsx';
import { OrderPayment } from '../payments/OrderPayment.tsx';
import { Billing } from './Billing.tsx';
import css from './DetailPage.module.css';
import { OrderCustom } from './OrderCustom.tsx';
import { OrderTimeline } from './OrderTimeline.tsx';
import { moveOrder, type Order, type OrderStatus, useOrder } from './queries.ts';
import { ShipDialog } from './ShipDialog.tsx';
import { ShipTo } from './ShipTo.tsx';
import { Sums } from './Sums.tsx';

export function DetailPage() {
  return <Loaded query={useOrder(useId())}>{(order) => <OrderPage order={order} />}</Loaded>;
}

function OrderPage({ order }: { order: Order }) {
  const { can } = useShop();
  const [shipping, setShipping] = useState(false);
  return (
    <>
      <PageHeader
        title={t('order.title', { id: order.id })}
        back={{ path: 'orders', text: t('nav.orders') }}
        badge={<Status value={order.status} />}
      >
        <Actions order={order} onShip={() => setShipping(true)} />
      </PageHeader>
      <DetailColumns side={<Side order={order} />}>
        <Items order={order} />
        {can('payments:read') ? <OrderPayment order={order} /> : null}
        <OrderTimeline id={order.id} />
      </DetailColumns>
      {shipping ? <ShipDialog orders={[order]} onClose={() => setShipping(false)} /> : null}
    </>
  );
}

function Actions({ order, onShip }: { order: Order; onShip: () => void }) {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const go = useGo();
  const move = useWrite({
    mutationFn: (status: OrderStatus) => moveOrder(api, order.id, { status }),
    onSuccess: (moved) => {
      say(t('order.moved', { status: tOf('status', moved.status) }));
      return client.invalidateQueries({ queryKey: [company.id, 'orders'] });
    },
    onError: sayError,
  });
  const next = can('orders:write') ? allowedFrom(order.status) : [];
  const cancel = async (): Promise<void> => {
    const sure = await ask({
      title: t('order.cancel.title', { id: order.id }),
      text: t('order.cancel.text'),
      action: t('order.cancel'),
    });
    if (sure) move.mutate('cancelled');
  };
  const others = next.filter((status) => status === 'processing' || status === 'delivered');
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="printer" size={16} />}>
            {t('action.print')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => go(`orders/print?ids=${order.id}`)}>{t('order.slip')}</Menu.Item>
          <Menu.Item onClick={() => go(`orders/invoice?ids=${order.id}`)}>{t('order.invoice')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {next.includes('shipped') ? (
        <Button leftSection={<Icon name="truck" size={16} />} onClick={onShip}>
          {t('order.ship')}
        </Button>
      ) : null}
      {others.length > 0 && !next.includes('shipped') ? (
        others.map((status) => (
          <Button key={status} loading={move.isPending} onClick={() => move.mutate(status)}>
            {t('order.mark', { status: tOf('status', status) })}
          </Button>
        ))
      ) : next.length > 0 ? (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" rightSection={<Icon name="chevron-down" size={14} />} loading={move.isPending}>
              {t('action.more')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {others.map((status) => (
              <Menu.Item key={status} onClick={() => move.mutate(status)}>
                {t('order.mark', { status: tOf('status', status) })}
              </Menu.Item>
            ))}
            {next.includes('cancelled') ? (
              <Menu.Item onClick={() => void cancel()} className={css.danger}>
                {t('order.cancel')}
              </Menu.Item>
            ) : null}
          </Menu.Dropdown>
        </Menu>
      ) : null}
    </>
  );
}

function Items({ order }: { order: Order }) {
  const format = useFormat();
  const money = (amount: number): string => format.money(amount, order.currency);
  return (
    <Section title={t('order.items')} flush>
      <SmallTable
        caption={t('order.items')}
        rows={order.items}
        keyOf={(item) => item.product_id}
        empty={t('list.none.title')}
        columns={[
          {
            title: t('field.product'),
            cell: (item) => <Anchor path={`products/${item.product_id}`}>{item.product_name}</Anchor>,
          },
          { title: t('field.quantity'), right: true, cell: (item) => format.number(item.qty) },
          { title: t('field.price'), right: true, wide: true, cell: (item) => money(item.price) },
          { title: t('order.sum'), right: true, cell: (item) => money(item.subtotal) },
        ]}
      />
      <Sums order={order} shipping={order.shipping_method} />
    </Section>
  );
}

function Side({ order }: { order: Order }) {
  const format = useFormat();
  const audit = useAuditFact(`order:${order.id}`);
  return (
    <>
      <Section title={t('field.customer')}>
        <CustomerName id={order.customer_id} />
        <div>
          <ContactLink customer={order.customer_id} />
        </div>
        {order.guest ? <p className={`${css.hint} dim`}>{t('order.guest')}</p> : null}
      </Section>
      <Notes subject={{ kind: 'order', id: order.id }} />
      <ShipTo to={order} none={t('order.erased')} />
      {order.billing === null ? null : <Billing billing={order.billing} />}
      <Section title={t('section.details')}>
        <Facts
          facts={[
            [t('field.placed'), <Moment key="placed" at={order.created_at} />],
            order.origin === null ? null : [t('order.origin'), tOf('order.origin', order.origin)],
            order.cart_id === null
              ? null
              : [
                  t('order.cart'),
                  <Anchor key="cart" path={`carts/${order.cart_id}`}>
                    #{order.cart_id}
                  </Anchor>,
                ],
            [t('order.tracking'), <Tracking key="tracking" order={order} />],
            [t('order.promo'), order.promo_code],
            order.points_redeemed > 0 ? [t('order.points'), format.number(order.points_redeemed)] : null,
            order.subscription_id === null
              ? null
              : [
                  t('order.subscription'),
                  <Anchor key="subscription" path={`subscriptions/${order.subscription_id}`}>
                    #{order.subscription_id}
                  </Anchor>,
                ],
            [t('field.external_id'), order.external_id],
            ...metadataFacts(order.metadata),
            audit,
          ]}
        />
      </Section>
      <OrderCustom order={order} />
    </>
  );
}

/** The tracking number, which may be added or corrected at any time; an empty one removes it. */
function Tracking({ order }: { order: Order }) {
  const { api, can } = useShop();
  const [changing, setChanging] = useState(false);
  const { id, tracking_number: number } = order;
  return (
    <span className="row">
      {number === null ? <span className="dim">{t('order.tracking.none')}</span> : <span>{number}</span>}
      {can('orders:write') ? (
        <Button
          size="compact-xs"
          variant="subtle"
          aria-label={t('order.tracking.change')}
          onClick={() => setChanging(true)}
        >
          {t('action.change')}
        </Button>
      ) : null}
      {changing ? (
        <FormDialog
          title={t('order.tracking.change')}
          fields={[{ name: 'tracking_number', label: t('order.tracking'), type: 'text' }]}
          initial={{ tracking_number: number ?? '' }}
          submit={t('action.save')}
          save={({ tracking_number: typed = null }) => moveOrder(api, id, { tracking_number: typed as string | null })}
          done={t('order.tracking.changed')}
          onClose={() => setChanging(false)}
        />
      ) : null}
    </span>
  );
}
