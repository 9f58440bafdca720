import './texts.ts';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { saveCsv } from '../../ui/list/csv.ts';
import { Status } from '../../ui/Status.tsx';
import type { PromoCode } from './queries.ts';

const LATEST = 10;

/** The coupons of a template, and a form that creates a set of them as a file. */
export function Coupons({ template }: { template: PromoCode }) {
  const { api, company, can } = useShop();
  const format = useFormat();
  const [creating, setCreating] = useState(false);
  const path = { id: template.id };
  const query = useQuery({
    queryKey: [company.id, 'promo-codes', template.id, 'coupons'],
    queryFn: ({ signal }) =>
      rowsOf(api.GET('/promo-codes/{id}/coupons', { params: { path, query: { per_page: LATEST } }, signal })),
  });
  const { data } = query;
  const create = async (body: Record<string, unknown>): Promise<void> => {
    const made = await dataOf(
      api.POST('/promo-codes/{id}/coupons', { params: { path }, body: { count: Number(body.count) } }),
    );
    saveCsv(template.code, [[t('promo.code')], ...made.codes.map((code) => [code])]);
  };
  return (
    <Section
      title={data === undefined ? t('promo.coupons') : t('promo.coupons.n', { n: format.number(data.total) })}
      flush
      actions={
        can('settings:write') ? (
          <Button size="xs" variant="default" onClick={() => setCreating(true)}>
            {t('promo.coupons.create')}
          </Button>
        ) : null
      }
    >
      <SmallTable
        caption={t('promo.coupons')}
        query={query}
        rows={data?.rows}
        keyOf={(coupon) => coupon.id}
        empty={t('promo.coupons.none', { code: `{{ coupon.${template.code} }}` })}
        columns={[
          { title: t('promo.code'), cell: (coupon) => coupon.code },
          { title: t('field.status'), cell: (coupon) => <Status value={coupon.used ? 'used' : 'active'} /> },
          { title: t('promo.ends'), wide: true, cell: (coupon) => <Moment at={coupon.ends_at} /> },
          { title: t('field.created'), wide: true, cell: (coupon) => <Moment at={coupon.created_at} /> },
        ]}
      />
      {creating ? (
        <FormDialog
          title={t('promo.coupons.create')}
          text={t('promo.coupons.create.text')}
          fields={[{ name: 'count', label: t('promo.coupons.count'), type: 'number', required: true }]}
          submit={t('promo.coupons.submit')}
          save={create}
          done={t('form.created')}
          onClose={() => setCreating(false)}
        />
      ) : null}
    </Section>
  );
}
