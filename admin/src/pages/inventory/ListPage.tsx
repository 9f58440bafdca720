import '../products/texts.ts';
import { useState } from 'react';
import { dataOf, type ResponseOf, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { type Location, useLocations } from './locations/queries.ts';
import { InventoryTabs } from './Tabs.tsx';

type Item = ResponseOf<'/inventory'>['data'][number];

interface Adjusting {
  items: Item[];
  unselect: () => void;
}

/** What the dialog asks for; it applies to every selected product. */
interface Adjustment {
  location_id?: string;
  delta: number;
  reason?: string;
}

/** The stock of products, at each location. */
export function ListPage() {
  return <Loaded query={useLocations()}>{(locations) => <Inventory locations={locations} />}</Loaded>;
}

/** Each location has a column of its own, so they are known before the list is made. */
function Inventory({ locations: all }: { locations: Location[] }) {
  const { api, can } = useShop();
  const [adjusting, setAdjusting] = useState<Adjusting | null>(null);
  const format = useFormat();
  const locations = all.filter(({ active }) => active);
  const availableAt = (item: Item, id: number): number =>
    item.levels.find(({ location_id }) => location_id === id)?.available ?? 0;
  const adjust = ({ items, unselect }: Adjusting, { location_id, delta, reason }: Adjustment): Promise<unknown> => {
    const at = location_id === undefined ? {} : { location_id: Number(location_id) };
    const lines = items.map(({ product_id }) => ({ product_id, delta, ...at }));
    const body = reason === undefined ? { lines } : { lines, reason };
    return dataOf(api.POST('/inventory/adjustments', { body })).then(unselect);
  };
  return (
    <>
      <List<Item>
        name="inventory"
        title={t('nav.inventory')}
        below={<InventoryTabs current="inventory" />}
        resource="inventory"
        load={(query, signal) => rowsOf(api.GET('/inventory', { params: { query }, signal }))}
        idOf={(item) => item.product_id}
        path={(item) => `products/${item.product_id}`}
        columns={[
          { key: 'name', title: t('field.name'), cell: (item) => item.name, csv: (item) => item.name },
          { key: 'sku', title: t('product.sku'), wide: true, cell: (item) => item.sku, csv: (item) => item.sku },
          ...(locations.length < 2
            ? []
            : locations.map(({ id, name }) => ({
                key: `at_${id}`,
                title: name,
                align: 'right' as const,
                wide: true as const,
                cell: (item: Item) => format.number(availableAt(item, id)),
                csv: (item: Item) => availableAt(item, id),
              }))),
          {
            key: 'reserved',
            title: t('inventory.reserved'),
            align: 'right',
            wide: true,
            cell: (item) => format.number(item.reserved),
            csv: (item) => item.reserved,
          },
          {
            key: 'low_stock_at',
            title: t('product.low_stock_at'),
            align: 'right',
            wide: true,
            cell: (item) => (item.low_stock_at === null ? '' : format.number(item.low_stock_at)),
            csv: (item) => item.low_stock_at,
          },
          {
            key: 'stock_qty',
            title: t('product.stock'),
            align: 'right',
            cell: (item) => format.number(item.stock_qty),
            csv: (item) => item.stock_qty,
          },
        ]}
        search={{ key: 'search', placeholder: t('products.search') }}
        bulk={
          can('inventory:write')
            ? [
                {
                  text: t('product.adjust'),
                  icon: 'package',
                  run: (items, unselect) => setAdjusting({ items, unselect }),
                },
              ]
            : []
        }
        filters={[
          { key: 'running_out', title: t('inventory.running_out'), type: 'yes_no' },
          { key: 'low', title: t('inventory.low'), type: 'yes_no' },
          ...(locations.length < 2
            ? []
            : [
                {
                  key: 'location_id',
                  title: t('inventory.location'),
                  type: 'choice' as const,
                  choices: locations.map(({ id, name }) => ({ value: String(id), label: name })),
                },
              ]),
        ]}
        empty={{ icon: 'package', title: t('products.empty'), text: t('products.empty.text') }}
      />
      {adjusting === null ? null : (
        <FormDialog<Adjustment>
          title={t('product.adjust')}
          text={t('inventory.adjust.text', { n: adjusting.items.length })}
          fields={[
            ...(locations.length < 2
              ? []
              : [
                  {
                    name: 'location_id',
                    label: t('inventory.location'),
                    type: 'choice',
                    choices: locations.map(({ id, name }) => ({ value: String(id), label: name })),
                  } as const,
                ]),
            { name: 'delta', label: t('product.delta'), type: 'number', required: true, help: t('product.delta.help') },
            { name: 'reason', label: t('field.reason'), type: 'text' },
          ]}
          initial={{ location_id: String(locations[0]?.id ?? '') }}
          submit={t('action.save')}
          done={t('form.saved')}
          save={(body) => adjust(adjusting, body)}
          onClose={() => setAdjusting(null)}
        />
      )}
    </>
  );
}
