import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { Pager } from '../../ui/Pager.tsx';

const PER_PAGE = 5;

/** The customer's points: their value, their history, and a form to add or deduct some. */
export function Points({ id }: { id: number }) {
  const { api, company, can } = useShop();
  const format = useFormat();
  const [adjusting, setAdjusting] = useState(false);
  const [page, setPage] = useState(1);
  const params = { path: { id } };
  const balance = useQuery({
    queryKey: [company.id, 'loyalty', id],
    queryFn: ({ signal }) => dataOf(api.GET('/customers/{id}/loyalty', { params, signal })),
  });
  const ledger = useQuery({
    queryKey: [company.id, 'loyalty', id, 'ledger', page],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      rowsOf(
        api.GET('/customers/{id}/loyalty/ledger', {
          params: { ...params, query: { page, per_page: PER_PAGE } },
          signal,
        }),
      ),
  });
  const { data } = balance;
  const worth = data && { n: format.number(data.current_balance), value: format.money(data.dollar_value) };
  return (
    <Section
      title={worth === undefined ? t('nav.loyalty') : t('customer.points', worth)}
      flush
      actions={
        <>
          <Pager page={page} perPage={PER_PAGE} total={ledger.data?.total ?? 0} onChange={setPage} />
          {can('customers:write') ? (
            <Button size="xs" variant="default" onClick={() => setAdjusting(true)}>
              {t('customer.adjust')}
            </Button>
          ) : null}
        </>
      }
    >
      <SmallTable
        caption={t('nav.loyalty')}
        query={ledger}
        rows={ledger.data?.rows}
        keyOf={(entry) => entry.id}
        empty={t('customer.no_points')}
        columns={[
          { title: t('field.when'), cell: (entry) => <Moment at={entry.created_at} /> },
          {
            title: t('field.what'),
            cell: (entry) => (
              <>
                {tOf('ledger', entry.type)}
                {entry.reason === null ? null : <span className="dim"> {entry.reason}</span>}
              </>
            ),
          },
          {
            title: t('order.number'),
            cell: (entry) =>
              entry.order_id === null ? null : <Anchor path={`orders/${entry.order_id}`}>#{entry.order_id}</Anchor>,
          },
          { title: t('loyalty.points'), right: true, cell: (entry) => format.signed(entry.points) },
        ]}
      />
      {adjusting ? <AdjustDialog id={id} onClose={() => setAdjusting(false)} /> : null}
    </Section>
  );
}

function AdjustDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { api } = useShop();
  const save = ({ direction, points, reason }: Record<string, unknown>) => {
    const signed = direction === 'take' && typeof points === 'number' ? -points : points;
    const body = { points: signed as number, ...(reason === undefined ? {} : { reason: String(reason) }) };
    return dataOf(api.POST('/customers/{id}/loyalty/adjust', { params: { path: { id } }, body }));
  };
  return (
    <FormDialog
      title={t('customer.adjust')}
      initial={{ direction: 'give' }}
      fields={[
        {
          name: 'direction',
          label: t('customer.adjust.direction'),
          type: 'choice',
          choices: [
            { value: 'give', label: t('customer.adjust.give') },
            { value: 'take', label: t('customer.adjust.take') },
          ],
        },
        { name: 'points', label: t('loyalty.points'), type: 'number', required: true },
        { name: 'reason', label: t('field.reason'), type: 'text', help: t('customer.adjust.reason') },
      ]}
      submit={t('action.save')}
      done={t('form.saved')}
      save={save}
      onClose={onClose}
    />
  );
}
