import { useQuery } from '@tanstack/react-query';
import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { useLocationName } from '../inventory/transfers/queries.ts';
import type { Product } from './queries.ts';

const LATEST = 10;

/** The stock at each location, in companies with more than one, and what is set aside for carts that are being paid. */
export function StockByLocation({ product: { id } }: { product: Product }) {
  const { api, company } = useShop();
  const { data: item } = useQuery({
    queryKey: [company.id, 'products', id, 'levels'],
    queryFn: async ({ signal }) => {
      const query = { product_id: id };
      return (await rowsOf(api.GET('/inventory', { params: { query }, signal }))).rows[0] ?? null;
    },
  });
  if (!item) return null;
  return (
    <>
      {item.levels.length > 1 ? <Levels levels={item.levels} /> : null}
      {item.reserved > 0 ? <Reservations id={id} /> : null}
    </>
  );
}

interface Level {
  location_id: number;
  available: number;
  reserved: number;
}

function Levels({ levels }: { levels: Level[] }) {
  const format = useFormat();
  const nameOf = useLocationName();
  return (
    <Section title={t('product.by_location')} flush>
      <SmallTable
        caption={t('product.by_location')}
        rows={levels}
        keyOf={({ location_id }) => location_id}
        empty={t('list.none.title')}
        columns={[
          { title: t('inventory.location'), cell: ({ location_id }) => nameOf(location_id) },
          { title: t('product.stock'), right: true, cell: ({ available }) => format.number(available) },
          { title: t('inventory.reserved'), right: true, cell: ({ reserved }) => format.number(reserved) },
        ]}
      />
    </Section>
  );
}

function Reservations({ id }: { id: number }) {
  const { api, company } = useShop();
  const format = useFormat();
  const nameOf = useLocationName();
  const query = useQuery({
    queryKey: [company.id, 'products', id, 'reservations'],
    queryFn: ({ signal }) => {
      const params = { path: { id: String(id) }, query: { per_page: LATEST } };
      return rowsOf(api.GET('/products/{id}/reservations', { params, signal }));
    },
  });
  return (
    <Section title={t('product.reservations')} flush>
      <SmallTable
        caption={t('product.reservations')}
        query={query}
        rows={query.data?.rows}
        keyOf={(reservation) => reservation.id}
        empty={t('list.none.title')}
        columns={[
          { title: t('inventory.location'), cell: ({ location_id }) => nameOf(location_id) },
          { title: t('transfer.qty'), right: true, cell: ({ qty }) => format.number(qty) },
          {
            title: t('product.reserved_until'),
            right: true,
            cell: ({ reserved_until }) => <Moment at={reserved_until} />,
          },
        ]}
      />
    </Section>
  );
}
