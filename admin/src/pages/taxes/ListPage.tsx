import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import type { TaxRule } from './queries.ts';

export function ListPage() {
  const { api, can } = useShop();
  const format = useFormat();
  return (
    <List<TaxRule>
      name="taxes"
      title={t('nav.taxes')}
      resource="tax-rules"
      load={(query, signal) => rowsOf(api.GET('/tax-rules', { params: { query }, signal }))}
      idOf={(rule) => rule.id}
      path={(rule) => `taxes/${rule.id}`}
      columns={[
        { key: 'name', title: t('field.name'), cell: (rule) => rule.name, csv: (rule) => rule.name },
        {
          key: 'place',
          title: t('tax.where'),
          cell: (rule) => [rule.country, rule.state, zipsOf(rule)].filter(Boolean).join(' · '),
          csv: (rule) => [rule.country, rule.state, zipsOf(rule)].filter(Boolean).join(' '),
        },
        {
          key: 'tax_class',
          title: t('product.tax_class'),
          wide: true,
          cell: (rule) => rule.tax_class ?? t('tax.every_class'),
          csv: (rule) => rule.tax_class,
        },
        {
          key: 'shipping',
          title: t('tax.on_shipping'),
          wide: true,
          cell: (rule) => (rule.applies_to_shipping ? t('choice.yes') : t('choice.no')),
          csv: (rule) => rule.applies_to_shipping,
        },
        {
          key: 'rate',
          title: t('tax.rate'),
          align: 'right',
          cell: (rule) => format.percent(rule.rate),
          csv: (rule) => rule.rate,
        },
      ]}
      {...(can('settings:write') ? { create: { path: 'taxes/new', text: t('tax.new') } } : {})}
      empty={{ icon: 'receipt-tax', title: t('taxes.empty'), text: t('taxes.empty.text') }}
    />
  );
}

function zipsOf({ zip_from, zip_to }: TaxRule): string {
  if (zip_from === null || zip_to === null) return zip_from ?? zip_to ?? '';
  return `${zip_from}–${zip_to}`;
}
