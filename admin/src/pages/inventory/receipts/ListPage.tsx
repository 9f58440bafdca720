import '../../products/texts.ts';
import { rowsOf } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Moment, useFormat } from '../../../ui/format.tsx';
import { ListPage as List } from '../../../ui/list/ListPage.tsx';
import { InventoryTabs } from '../Tabs.tsx';
import { useLocationName } from '../transfers/queries.ts';
import { LIST, type Receipt } from './queries.ts';

const unitsOf = ({ lines }: Receipt): number => lines.reduce((sum, { qty }) => sum + qty, 0);

export function ListPage() {
  const { api, can } = useShop();
  const format = useFormat();
  const nameOf = useLocationName();
  return (
    <List<Receipt>
      name="receipts"
      title={t('receipts.title')}
      resource={LIST}
      below={<InventoryTabs current={LIST} />}
      load={(query, signal) => rowsOf(api.GET('/inventory/receipts', { params: { query }, signal }))}
      idOf={({ id }) => id}
      path={({ id }) => `${LIST}/${id}`}
      columns={[
        { key: 'id', title: t('receipt.number'), cell: ({ id }) => `#${id}`, csv: ({ id }) => id },
        {
          key: 'supplier',
          title: t('receipt.supplier'),
          cell: ({ supplier }) => supplier,
          csv: ({ supplier }) => supplier,
        },
        {
          key: 'reference',
          title: t('receipt.reference'),
          wide: true,
          cell: ({ reference }) => reference,
          csv: ({ reference }) => reference,
        },
        {
          key: 'location',
          title: t('inventory.location'),
          wide: true,
          cell: ({ location_id: id }) => nameOf(id),
          csv: ({ location_id: id }) => nameOf(id),
        },
        {
          key: 'units',
          title: t('transfer.units'),
          align: 'right',
          cell: (receipt) => format.number(unitsOf(receipt)),
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
      {...(can('inventory:write') ? { create: { path: `${LIST}/new`, text: t('receipt.new') } } : {})}
      empty={{ icon: 'package', title: t('receipts.empty'), text: t('receipts.empty.text') }}
    />
  );
}
