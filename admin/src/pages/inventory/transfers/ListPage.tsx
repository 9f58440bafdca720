import '../../products/texts.ts';
import { rowsOf } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t, tOf } from '../../../i18n/i18n.ts';
import { Moment, useFormat } from '../../../ui/format.tsx';
import { ListPage as List } from '../../../ui/list/ListPage.tsx';
import { Status } from '../../../ui/Status.tsx';
import { InventoryTabs } from '../Tabs.tsx';
import { LIST, type Transfer, useLocationName } from './queries.ts';

const STATUSES: readonly Transfer['status'][] = ['draft', 'in_transit', 'received', 'cancelled'];

const unitsOf = ({ lines }: Transfer): number => lines.reduce((sum, { qty }) => sum + qty, 0);

export function ListPage() {
  const { api, can } = useShop();
  const format = useFormat();
  const nameOf = useLocationName();
  return (
    <List<Transfer>
      name="transfers"
      title={t('transfers.title')}
      resource={LIST}
      below={<InventoryTabs current={LIST} />}
      load={(query, signal) => rowsOf(api.GET('/inventory/transfers', { params: { query }, signal }))}
      idOf={({ id }) => id}
      path={({ id }) => `${LIST}/${id}`}
      columns={[
        { key: 'id', title: t('transfer.number'), cell: ({ id }) => `#${id}`, csv: ({ id }) => id },
        {
          key: 'from',
          title: t('transfer.from'),
          cell: ({ from_location_id: id }) => nameOf(id),
          csv: ({ from_location_id: id }) => nameOf(id),
        },
        {
          key: 'to',
          title: t('transfer.to'),
          cell: ({ to_location_id: id }) => nameOf(id),
          csv: ({ to_location_id: id }) => nameOf(id),
        },
        {
          key: 'status',
          title: t('field.status'),
          cell: ({ status }) => <Status value={status} />,
          csv: ({ status }) => status,
        },
        {
          key: 'units',
          title: t('transfer.units'),
          align: 'right',
          wide: true,
          cell: (transfer) => format.number(unitsOf(transfer)),
          csv: unitsOf,
        },
        {
          key: 'created_at',
          title: t('field.created'),
          align: 'right',
          wide: true,
          cell: ({ created_at }) => <Moment at={created_at} />,
          csv: ({ created_at }) => created_at,
        },
      ]}
      filters={[
        {
          key: 'status',
          title: t('field.status'),
          type: 'choice',
          choices: STATUSES.map((value) => ({ value, label: tOf('status', value) })),
        },
      ]}
      {...(can('inventory:write') ? { create: { path: `${LIST}/new`, text: t('transfer.new') } } : {})}
      empty={{ icon: 'truck', title: t('transfers.empty'), text: t('transfers.empty.text') }}
    />
  );
}
