import { Button, Modal, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { dataOf, rowsOf } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { DetailColumns, Facts, Loaded, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { say, sayError, textOf } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { numberOf } from '../../ui/RecordForm.tsx';
import { Status } from '../../ui/Status.tsx';
import { type Customer, nameOf, useCustomer } from './queries.ts';

const LATEST = 10;

export function DetailPage() {
  return <Loaded query={useCustomer(useId())}>{(customer) => <CustomerPage customer={customer} />}</Loaded>;
}

function CustomerPage({ customer }: { customer: Customer }) {
  const { can } = useShop();
  return (
    <>
      <PageHeader title={nameOf(customer)} back={{ path: 'customers', text: t('nav.customers') }}>
        {can('customers:write') ? <Actions customer={customer} /> : null}
      </PageHeader>
      <DetailColumns side={<Side customer={customer} />}>
        <Orders id={customer.id} />
        {can('subscriptions:read') ? <Subscriptions id={customer.id} /> : null}
        <Points id={customer.id} />
      </DetailColumns>
    </>
  );
}

function Actions({ customer }: { customer: Customer }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const go = useGo();
  const erase = async (): Promise<void> => {
    const sure = await ask({
      title: t('customer.erase.title', { name: nameOf(customer) }),
      text: t('customer.erase.text'),
      action: t('customer.erase'),
      typed: customer.email,
    });
    if (!sure) return;
    try {
      await dataOf(api.DELETE('/customers/{id}', { params: { path: { id: customer.id } } }));
      go('customers', { replace: true });
      client.removeQueries({ queryKey: [company.id, 'customers', customer.id] });
      await client.invalidateQueries({ queryKey: [company.id] });
      say(t('customer.erased.done'));
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <>
      <Button variant="default" onClick={() => void erase()}>
        {t('customer.erase')}
      </Button>
      <Button component={Anchor} path={`customers/${customer.id}/edit`}>
        {t('action.edit')}
      </Button>
    </>
  );
}

function Side({ customer }: { customer: Customer }) {
  const place = [customer.shipping_zip, customer.shipping_city, customer.shipping_state].filter(Boolean).join(' ');
  return (
    <>
      <Section title={t('section.details')}>
        <Facts
          facts={[
            [t('field.email'), customer.email],
            [t('field.phone'), customer.phone],
            [t('customer.marketing'), customer.accepts_marketing ? t('choice.yes') : t('choice.no')],
            [t('field.created'), <Moment key="created" at={customer.created_at} />],
          ]}
        />
      </Section>
      <Section title={t('section.address')}>
        <Facts
          facts={[
            [t('field.address'), customer.shipping_address],
            [t('field.city'), place],
            [t('field.country'), customer.shipping_country],
          ]}
        />
      </Section>
    </>
  );
}

function Orders({ id }: { id: number }) {
  const { api, company } = useShop();
  const format = useFormat();
  const { data } = useQuery({
    queryKey: [company.id, 'orders', 'customer', id],
    queryFn: ({ signal }) =>
      rowsOf(api.GET('/customers/{id}/orders', { params: { path: { id }, query: { per_page: LATEST } }, signal })),
  });
  return (
    <Section
      title={data === undefined ? t('nav.orders') : t('customer.orders', { n: format.number(data.total) })}
      flush
    >
      <SmallTable
        caption={t('nav.orders')}
        rows={data?.rows}
        keyOf={(order) => order.id}
        empty={t('customer.no_orders')}
        columns={[
          { title: t('order.number'), cell: (order) => <Anchor path={`orders/${order.id}`}>#{order.id}</Anchor> },
          { title: t('field.placed'), cell: (order) => <Moment at={order.created_at} /> },
          { title: t('field.status'), cell: (order) => <Status value={order.status} /> },
          { title: t('order.total'), right: true, cell: (order) => format.money(order.total, order.currency) },
        ]}
      />
    </Section>
  );
}

function Subscriptions({ id }: { id: number }) {
  const { api, company } = useShop();
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
            cell: (one) => <Anchor path={`subscriptions/${one.id}`}>#{one.id}</Anchor>,
          },
          { title: t('subscription.frequency'), cell: (one) => one.frequency_name },
          { title: t('field.status'), cell: (one) => <Status value={one.status} /> },
          { title: t('field.price'), right: true, cell: (one) => format.money(one.price * one.quantity) },
        ]}
      />
    </Section>
  );
}

function Points({ id }: { id: number }) {
  const { api, company, can } = useShop();
  const format = useFormat();
  const [adjusting, setAdjusting] = useState(false);
  const params = { path: { id } };
  const balance = useQuery({
    queryKey: [company.id, 'loyalty', id],
    queryFn: ({ signal }) => dataOf(api.GET('/customers/{id}/loyalty', { params, signal })),
  });
  const ledger = useQuery({
    queryKey: [company.id, 'loyalty', id, 'ledger'],
    queryFn: ({ signal }) =>
      rowsOf(api.GET('/customers/{id}/loyalty/ledger', { params: { ...params, query: { per_page: LATEST } }, signal })),
  });
  const title =
    balance.data === undefined
      ? t('nav.loyalty')
      : t('customer.points', {
          n: format.number(balance.data.current_balance),
          value: format.money(balance.data.dollar_value),
        });
  return (
    <Section
      title={title}
      flush
      actions={
        can('customers:write') ? (
          <Button size="xs" variant="default" onClick={() => setAdjusting(true)}>
            {t('customer.adjust')}
          </Button>
        ) : null
      }
    >
      <SmallTable
        caption={t('nav.loyalty')}
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
          { title: t('loyalty.points'), right: true, cell: (entry) => format.number(entry.points) },
        ]}
      />
      {adjusting ? <AdjustDialog id={id} onClose={() => setAdjusting(false)} /> : null}
    </Section>
  );
}

function AdjustDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const [points, setPoints] = useState('');
  const [reason, setReason] = useState('');
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const body = { points: numberOf(points.trim()) as number, reason: reason.trim() || null };
      await dataOf(api.POST('/customers/{id}/loyalty/adjust', { params: { path: { id } }, body }));
      await client.invalidateQueries({ queryKey: [company.id, 'loyalty', id] });
      say(t('form.saved'));
      onClose();
    } catch (failure) {
      setError(failure);
    }
  };
  const fields = error instanceof ApiError ? error.fields : [];
  const at = (name: string): string | undefined => fields.find(({ field }) => field === name)?.message;
  return (
    <Modal opened onClose={onClose} title={t('customer.adjust')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label={t('loyalty.points')}
          description={t('customer.adjust.help')}
          inputMode="numeric"
          data-autofocus
          value={points}
          error={at('points') ?? (error !== null && fields.length === 0 ? textOf(error) : undefined)}
          onChange={(event) => setPoints(event.currentTarget.value)}
        />
        <TextInput
          label={t('field.reason')}
          value={reason}
          error={at('reason')}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <div className="row">
          <span className="grow" />
          <Button variant="default" onClick={onClose}>
            {t('action.cancel')}
          </Button>
          <Button type="submit" disabled={points.trim() === ''}>
            {t('action.save')}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
