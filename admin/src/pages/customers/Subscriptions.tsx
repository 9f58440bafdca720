import { useQuery } from '@tanstack/react-query';
import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { Day, useFormat } from '../../ui/format.tsx';
import { Status } from '../../ui/Status.tsx';
import { ProductText } from '../products/ProductName.tsx';
import { nextOf } from '../subscriptions/going-on.ts';
import { QuickActions } from '../subscriptions/QuickActions.tsx';

const LATEST = 10;

/** The customer's subscriptions, each with the actions that are most often requested by phone: skip and pause. */
export function Subscriptions({ id }: { id: number }) {
  const { api, company, can } = useShop();
  const format = useFormat();
  const { data } = useQuery({
    queryKey: [company.id, 'subscriptions', 'customer', id],
    queryFn: ({ signal }) =>
      rowsOf(api.GET('/subscriptions', { params: { query: { customer_id: id, per_page: LATEST } }, signal })),
  });
  if (data === undefined || data.rows.length === 0) return null;
  return (
    <Section title={t('nav.subscriptions')} flush>
      <SmallTable
        caption={t('nav.subscriptions')}
        rows={data.rows}
        keyOf={(one) => one.id}
        empty=""
        columns={[
          {
            title: t('order.subscription'),
            cell: (one) => (
              <>
                <Anchor path={`subscriptions/${one.id}`}>
                  #{one.id} <ProductText id={one.product_id} />
                </Anchor>
                <br />
                <span className="dim">
                  {one.frequency_name} · {format.money(one.price * one.quantity)}
                </span>
              </>
            ),
          },
          {
            title: t('subscription.next'),
            cell: (one) => (
              <>
                <Day on={nextOf(one)} />
                <br />
                <Status value={one.status} />
              </>
            ),
          },
          ...(can('subscriptions:write')
            ? [
                {
                  title: t('field.actions'),
                  right: true as const,
                  cell: (one: (typeof data.rows)[number]) => <QuickActions subscription={one} />,
                },
              ]
            : []),
        ]}
      />
    </Section>
  );
}
