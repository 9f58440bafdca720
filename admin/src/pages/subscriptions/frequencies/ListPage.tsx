import { rowsOf } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { ListPage as List } from '../../../ui/list/ListPage.tsx';
import { Status } from '../../../ui/Status.tsx';
import type { Frequency } from './queries.ts';
import { intervalText } from './units.ts';

const statusOf = ({ active }: Frequency): string => (active ? 'active' : 'inactive');

/** How often subscriptions can be renewed. */
export function ListPage() {
  const { api, can } = useShop();
  return (
    <List<Frequency>
      name="subscription-frequencies"
      title={t('frequency.title')}
      resource="subscription-frequencies"
      load={(query, signal) => rowsOf(api.GET('/subscription-frequencies', { params: { query }, signal }))}
      idOf={(one) => one.id}
      path={(one) => `subscriptions/frequencies/${one.id}`}
      columns={[
        { key: 'name', title: t('field.name'), cell: (one) => one.name, csv: (one) => one.name },
        { key: 'interval', title: t('subscription.frequency'), cell: intervalText, csv: intervalText },
        {
          key: 'status',
          title: t('field.status'),
          cell: (one) => <Status value={statusOf(one)} />,
          csv: (one) => statusOf(one),
        },
        {
          key: 'position',
          title: t('field.position'),
          align: 'right',
          wide: true,
          cell: (one) => one.position,
          csv: (one) => one.position,
        },
      ]}
      {...(can('settings:write')
        ? { create: { path: 'subscriptions/frequencies/new', text: t('frequency.new') } }
        : {})}
      empty={{ icon: 'repeat', title: t('frequency.title'), text: t('frequency.empty') }}
    />
  );
}
