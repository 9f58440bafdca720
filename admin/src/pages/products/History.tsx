import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { actorText } from '../../ui/actor.ts';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import type { Product } from './queries.ts';

const LATEST = 10;

/** The product's previous prices. */
export function PriceHistory({ product }: { product: Product }) {
  const { api, company } = useShop();
  const format = useFormat();
  const query = useQuery({
    queryKey: [company.id, 'products', product.id, 'prices'],
    queryFn: ({ signal }) =>
      rowsOf(
        api.GET('/products/{id}/price-history', {
          params: { path: { id: String(product.id) }, query: { per_page: LATEST } },
          signal,
        }),
      ),
  });
  const { data } = query;
  return (
    <Section title={t('product.prices')} flush>
      <SmallTable
        caption={t('product.prices')}
        query={query}
        rows={data?.rows}
        keyOf={(change) => change.id}
        empty={t('list.none.title')}
        columns={[
          { title: t('field.when'), cell: (change) => <Moment at={change.created_at} /> },
          { title: t('field.price'), right: true, cell: (change) => format.money(change.new_price) },
          {
            title: t('product.price_before'),
            right: true,
            cell: (change) => (change.old_price === null ? '–' : format.money(change.old_price)),
          },
          { title: t('field.who'), wide: true, cell: (change) => actorText(change.actor, change.actor_name) },
        ]}
      />
    </Section>
  );
}

/** What changed the stock, and a form to change it by hand. */
export function StockMovements({ product }: { product: Product }) {
  const { api, company, can } = useShop();
  const format = useFormat();
  const [adjusting, setAdjusting] = useState(false);
  const path = { id: String(product.id) };
  const query = useQuery({
    queryKey: [company.id, 'products', product.id, 'movements'],
    queryFn: ({ signal }) =>
      rowsOf(api.GET('/products/{id}/stock-movements', { params: { path, query: { per_page: LATEST } }, signal })),
  });
  const { data } = query;
  return (
    <Section
      title={t('product.movements')}
      flush
      actions={
        can('inventory:write') && product.track_stock ? (
          <Button size="xs" variant="default" onClick={() => setAdjusting(true)}>
            {t('product.adjust')}
          </Button>
        ) : null
      }
    >
      <SmallTable
        caption={t('product.movements')}
        query={query}
        rows={data?.rows}
        keyOf={(movement) => movement.id}
        empty={t('list.none.title')}
        columns={[
          { title: t('field.when'), cell: (movement) => <Moment at={movement.created_at} /> },
          {
            title: t('field.what'),
            cell: (movement) => (
              <>
                {movement.order_id === null ? (
                  tOf('product.movement', movement.kind)
                ) : (
                  <Anchor path={`orders/${movement.order_id}`}>
                    {tOf('product.movement', movement.kind)} #{movement.order_id}
                  </Anchor>
                )}
                {movement.reason === null ? null : <span className="dim"> {movement.reason}</span>}
              </>
            ),
          },
          {
            title: t('field.quantity'),
            right: true,
            cell: (movement) => `${movement.delta > 0 ? '+' : ''}${format.number(movement.delta)}`,
          },
          { title: t('field.who'), wide: true, cell: (movement) => actorText(movement.actor, movement.actor_name) },
        ]}
      />
      {adjusting ? (
        <FormDialog
          title={t('product.adjust')}
          text={t('product.adjust.text', { n: format.number(product.stock_qty) })}
          fields={[
            { name: 'delta', label: t('product.delta'), type: 'number', required: true, help: t('product.delta.help') },
            { name: 'reason', label: t('field.reason'), type: 'text' },
          ]}
          submit={t('action.save')}
          done={t('form.saved')}
          save={(body) =>
            dataOf(api.POST('/products/{id}/inventory/adjust', { params: { path }, body: body as { delta: number } }))
          }
          onClose={() => setAdjusting(false)}
        />
      ) : null}
    </Section>
  );
}
