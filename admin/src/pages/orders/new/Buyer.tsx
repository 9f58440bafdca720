import { Button } from '@mantine/core';
import { rowsOf } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Anchor } from '../../../ui/Anchor.tsx';
import { Section } from '../../../ui/DetailPage.tsx';
import { Finder, type Found } from '../../../ui/finder/Finder.tsx';
import { type Customer, nameOf } from '../../customers/queries.ts';
import { withAddressOf, withoutCustomer } from './address.ts';
import type { Draft, DraftChange } from './draft.ts';
import css from './new.module.css';

const SHOWN = 6;

interface BuyerProps {
  draft: Draft;
  error: string | undefined;
  onChange(change: DraftChange): void;
}

interface FoundCustomer extends Found {
  id: number;
  customer: Customer;
}

/** The customer. The address of their last order, otherwise their own, is filled in unless one was typed already. */
export function Buyer({ draft, error, onChange }: BuyerProps) {
  const { api, can } = useShop();
  const find = async (search: string, signal: AbortSignal): Promise<FoundCustomer[]> => {
    const { rows } = await rowsOf(api.GET('/customers', { params: { query: { search, per_page: SHOWN } }, signal }));
    return rows.map((one) => ({ id: one.id, title: nameOf(one), text: `#${one.id} · ${one.email}`, customer: one }));
  };
  const choose = async ({ id, title, customer }: FoundCustomer): Promise<void> => {
    onChange({ customer: { id, label: title } });
    const query = { params: { path: { id }, query: { per_page: 1 } } };
    const { rows } = await rowsOf(api.GET('/customers/{id}/orders', query)).catch(() => ({ rows: [] }));
    onChange((now) => withAddressOf(now, id, rows[0], customer));
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
          <Button size="xs" variant="default" onClick={() => onChange(withoutCustomer)}>
            {t('order.new.other')}
          </Button>
        </div>
      )}
    </Section>
  );
}
