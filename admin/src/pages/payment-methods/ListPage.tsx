import './texts.ts';
import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { Status } from '../../ui/Status.tsx';
import type { PaymentMethod } from './queries.ts';
import { PaymentTabs } from './Tabs.tsx';

const statusOf = ({ active }: PaymentMethod): string => (active ? 'active' : 'inactive');

/** Services have their own names of methods. */
const kindOf = ({ provider, kind }: PaymentMethod): string =>
  provider === 'manual' ? tOf('payment.kind', kind) : `${tOf('payment.provider', provider)}: ${kind}`;

/** How buyers can pay. */
export function ListPage() {
  const { api, can } = useShop();
  const format = useFormat();
  const totalsOf = ({ min_total, max_total }: PaymentMethod): string => {
    const [min, max] = [format.money(min_total ?? 0), format.money(max_total ?? 0)];
    if (min_total !== null) return max_total === null ? t('payment.from', { min }) : t('payment.range', { min, max });
    return max_total === null ? t('payment.every_total') : t('payment.up_to', { max });
  };
  return (
    <List<PaymentMethod>
      name="payment-methods"
      title={t('nav.payment_methods')}
      resource="payment-methods"
      below={<PaymentTabs current="payment-methods" />}
      load={(query, signal) => rowsOf(api.GET('/payment-methods', { params: { query }, signal }))}
      idOf={(method) => method.id}
      path={(method) => `payment-methods/${method.id}`}
      columns={[
        { key: 'name', title: t('field.name'), cell: (method) => method.name, csv: (method) => method.name },
        {
          key: 'kind',
          title: t('field.type'),
          cell: kindOf,
          csv: (method) => (method.provider === 'manual' ? method.kind : `${method.provider} ${method.kind}`),
        },
        {
          key: 'places',
          title: t('payment.places'),
          wide: true,
          cell: (method) => tOf('payment.places', method.places),
          csv: (method) => method.places,
        },
        { key: 'totals', title: t('payment.totals'), wide: true, cell: totalsOf, csv: totalsOf },
        {
          key: 'staff_only',
          title: t('payment.staff_only'),
          wide: true,
          cell: (method) => (method.staff_only ? t('choice.yes') : t('choice.no')),
          csv: (method) => method.staff_only,
        },
        {
          key: 'status',
          title: t('field.status'),
          cell: (method) => <Status value={statusOf(method)} />,
          csv: statusOf,
        },
      ]}
      {...(can('settings:write') ? { create: { path: 'payment-methods/new', text: t('payment.new') } } : {})}
      empty={{ icon: 'credit-card', title: t('payment.empty'), text: t('payment.empty.text') }}
    />
  );
}
