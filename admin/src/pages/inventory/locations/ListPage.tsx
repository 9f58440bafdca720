import '../../products/texts.ts';
import { rowsOf } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { ListPage as List } from '../../../ui/list/ListPage.tsx';
import { Status } from '../../../ui/Status.tsx';
import { InventoryTabs } from '../Tabs.tsx';
import type { Location } from './queries.ts';

const statusOf = ({ active }: Location): string => (active ? 'active' : 'inactive');
const placeOf = ({ zip, city, country }: Location): string => [zip, city, country].filter(Boolean).join(' ');

/** Where the shop keeps its stock. */
export function ListPage() {
  const { api, can } = useShop();
  return (
    <List<Location>
      name="locations"
      title={t('locations.title')}
      resource="locations"
      below={<InventoryTabs current="inventory/locations" />}
      load={(query, signal) => rowsOf(api.GET('/locations', { params: { query }, signal }))}
      idOf={(one) => one.id}
      path={(one) => `inventory/locations/${one.id}`}
      columns={[
        { key: 'name', title: t('field.name'), cell: (one) => one.name, csv: (one) => one.name },
        { key: 'place', title: t('field.address'), wide: true, cell: placeOf, csv: placeOf },
        {
          key: 'online',
          title: t('location.online'),
          cell: (one) => (one.online ? t('choice.yes') : t('choice.no')),
          csv: (one) => one.online,
        },
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
      {...(can('inventory:write') ? { create: { path: 'inventory/locations/new', text: t('location.new') } } : {})}
      empty={{ icon: 'package', title: t('locations.title'), text: t('locations.empty') }}
    />
  );
}
