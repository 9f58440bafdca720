import { Button } from '@mantine/core';
import { rowsOf } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Anchor } from '../../../ui/Anchor.tsx';
import { Section } from '../../../ui/DetailPage.tsx';
import { nameOf } from '../../customers/queries.ts';
import type { Draft } from './draft.ts';
import { Finder, type Found } from './Finder.tsx';
import css from './new.module.css';

const SHOWN = 6;

interface BuyerProps {
  draft: Draft;
  error: string | undefined;
  onChange(part: Partial<Draft>): void;
}

/** The customer. The address of their last order is filled in unless one was entered already. */
export function Buyer({ draft, error, onChange }: BuyerProps) {
  const { api, can } = useShop();
  const find = async (search: string, signal: AbortSignal): Promise<Found[]> => {
    const { rows } = await rowsOf(api.GET('/customers', { params: { query: { search, per_page: SHOWN } }, signal }));
    return rows.map((one) => ({ id: one.id, title: nameOf(one), text: `#${one.id} · ${one.email}` }));
  };
  const choose = async ({ id, title }: Found): Promise<void> => {
    onChange({ customer: { id, label: title } });
    const isEmpty = draft.shipping_address === '' && draft.shipping_city === '' && draft.shipping_zip === '';
    if (!isEmpty) return;
    const query = { params: { path: { id }, query: { per_page: 1 } } };
    const { rows } = await rowsOf(api.GET('/customers/{id}/orders', query)).catch(() => ({ rows: [] }));
    const [last] = rows;
    if (last === undefined) return;
    const { shipping_address, shipping_zip, shipping_city, shipping_state, shipping_country } = last;
    onChange({ shipping_address, shipping_zip, shipping_city, shipping_state, shipping_country });
  };
  return (
    <Section title={t('field.customer')}>
      {draft.customer === null ? (
        <>
          <Finder
            name="customers"
            label={t('order.new.customer')}
            error={error}
            find={find}
            onChoose={(row) => void choose(row)}
          />
          {can('customers:write') ? (
            <p className={`${css.hint} dim`}>
              {t('order.new.unknown')} <Anchor path="customers/new">{t('order.new.create_customer')}</Anchor>
            </p>
          ) : null}
        </>
      ) : (
        <div className="row">
          <Anchor path={`customers/${draft.customer.id}`} className="break">
            {draft.customer.label}
          </Anchor>
          <span className="grow" />
          <Button size="xs" variant="default" onClick={() => onChange({ customer: null })}>
            {t('order.new.other')}
          </Button>
        </div>
      )}
    </Section>
  );
}
