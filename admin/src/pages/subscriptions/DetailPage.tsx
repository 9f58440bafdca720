import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { actorText } from '../../ui/actor.ts';
import { DetailColumns, Facts, Loaded, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { Day, Moment, useFormat } from '../../ui/format.tsx';
import { textOf } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';
import { CustomerName } from '../customers/CustomerName.tsx';
import { useSavedMethods } from '../customers/SavedMethods.tsx';
import { ProductName } from '../products/ProductName.tsx';
import { Actions } from './Actions.tsx';
import { nextOf } from './going-on.ts';
import {
  type Subscription,
  useSubscription,
  useSubscriptionHistory,
  useSubscriptionOrders,
  useUpcoming,
} from './queries.ts';

export function DetailPage() {
  return <Loaded query={useSubscription(useId())}>{(one) => <SubscriptionPage subscription={one} />}</Loaded>;
}

function SubscriptionPage({ subscription }: { subscription: Subscription }) {
  const { can } = useShop();
  const { id, status } = subscription;
  return (
    <>
      <PageHeader
        title={t('subscription.title', { id })}
        back={{ path: 'subscriptions', text: t('nav.subscriptions') }}
        badge={<Status value={status} />}
      >
        {can('subscriptions:write') ? <Actions subscription={subscription} /> : null}
      </PageHeader>
      <DetailColumns side={<Side subscription={subscription} />}>
        <Upcoming subscription={subscription} />
        <Orders id={id} />
        <History id={id} />
      </DetailColumns>
    </>
  );
}

function Side({ subscription }: { subscription: Subscription }) {
  const format = useFormat();
  const { quantity, price } = subscription;
  return (
    <>
      <Section title={t('field.customer')}>
        <CustomerName id={subscription.customer_id} />
      </Section>
      <Section title={t('section.details')}>
        <Facts
          facts={[
            [t('field.product'), <ProductName key="product" id={subscription.product_id} />],
            [t('field.quantity'), `${format.number(quantity)} × ${format.money(price)}`],
            [t('subscription.frequency'), subscription.frequency_name],
            nextOf(subscription) === null
              ? null
              : [t('subscription.next'), <Day key="next" on={nextOf(subscription)} />],
            subscription.resume_on === null
              ? null
              : [t('subscription.resume_on'), <Day key="resume" on={subscription.resume_on} />],
            [t('subscription.pause_reason'), subscription.pause_reason],
            subscription.saved_method_id === null
              ? null
              : [t('subscription.saved_method'), <SavedMethodText key="saved" subscription={subscription} />],
            subscription.payment_attempts === 0
              ? null
              : [t('subscription.payment_attempts'), format.number(subscription.payment_attempts)],
            subscription.cancelled_at === null
              ? null
              : [t('subscription.cancelled_at'), <Moment key="cancelled" at={subscription.cancelled_at} />],
            [t('field.reason'), subscription.cancel_reason],
            [t('field.created'), <Moment key="created" at={subscription.created_at} />],
          ]}
        />
      </Section>
      <Section title={t('order.ship_to')}>
        <address className="break">
          {subscription.shipping_address}
          <br />
          {[subscription.shipping_zip, subscription.shipping_city, subscription.shipping_state]
            .filter(Boolean)
            .join(' ')}
          <br />
          {subscription.shipping_country}
        </address>
      </Section>
    </>
  );
}

function SavedMethodText({ subscription }: { subscription: Subscription }) {
  const { data } = useSavedMethods(subscription.customer_id);
  if (data === undefined) return null;
  const method = data.find(({ id }) => id === subscription.saved_method_id);
  return method?.label ?? t('subscription.saved_method.removed');
}

function Upcoming({ subscription }: { subscription: Subscription }) {
  const format = useFormat();
  const { data, error } = useUpcoming(subscription);
  if (error !== null)
    return (
      <Section title={t('subscription.upcoming')}>
        <p className="dim">{textOf(error)}</p>
      </Section>
    );
  if (data === undefined) return null;
  return (
    <Section title={t('subscription.upcoming_on', { day: format.day(data.scheduled_date) })} flush>
      <SmallTable
        caption={t('subscription.upcoming')}
        rows={data.items}
        keyOf={(item) => item.product_id}
        empty={t('list.none.title')}
        {...(data.warnings.length > 0 ? { intro: data.warnings.join(' ') } : {})}
        columns={[
          { title: t('field.product'), cell: (item) => item.product_name },
          { title: t('field.quantity'), right: true, cell: (item) => format.number(item.qty) },
          { title: t('order.sum'), right: true, cell: (item) => format.money(item.subtotal) },
        ]}
        foot={
          <>
            <Sum name={t('order.shipping')} amount={data.shipping} />
            <Sum name={t('order.tax')} amount={data.tax} />
            <Sum name={t('order.total')} amount={data.total} strong />
          </>
        }
      />
    </Section>
  );
}

function Sum({ name, amount, strong }: { name: string; amount: number; strong?: true }) {
  const format = useFormat();
  return (
    <tr>
      <td colSpan={2}>{strong ? <strong>{name}</strong> : name}</td>
      <td data-right>{strong ? <strong>{format.money(amount)}</strong> : format.money(amount)}</td>
    </tr>
  );
}

function Orders({ id }: { id: number }) {
  const format = useFormat();
  const query = useSubscriptionOrders(id);
  const { data } = query;
  return (
    <Section title={t('nav.orders')} flush>
      <SmallTable
        caption={t('nav.orders')}
        query={query}
        rows={data?.rows}
        keyOf={(order) => order.id}
        empty={t('customer.no_orders')}
        columns={[
          { title: t('order.number'), cell: (order) => <Anchor path={`orders/${order.id}`}>#{order.id}</Anchor> },
          { title: t('field.placed'), cell: (order) => <Moment at={order.created_at} /> },
          { title: t('field.status'), cell: (order) => <Status value={order.status} /> },
          { title: t('order.total'), right: true, cell: (order) => format.money(order.total, order.currency) },
        ]}
      />
    </Section>
  );
}

function History({ id }: { id: number }) {
  const query = useSubscriptionHistory(id);
  const { data } = query;
  return (
    <Section title={t('section.timeline')} flush>
      <SmallTable
        caption={t('section.timeline')}
        query={query}
        rows={data?.rows.toReversed()}
        keyOf={(entry) => entry.id}
        empty={t('list.none.title')}
        columns={[
          { title: t('field.when'), cell: (entry) => <Moment at={entry.created_at} /> },
          {
            title: t('field.what'),
            cell: (entry) => (
              <>
                {tOf('subscription.history', entry.type)}
                {entry.message === null ? null : <span className="dim"> {entry.message}</span>}
              </>
            ),
          },
          { title: t('field.who'), wide: true, cell: (entry) => actorText(entry.actor, entry.actor_name) },
        ]}
      />
    </Section>
  );
}
