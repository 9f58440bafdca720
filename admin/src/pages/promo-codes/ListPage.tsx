import './texts.ts';
import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { sortBy } from '../../ui/list/sorting.tsx';
import { Status } from '../../ui/Status.tsx';
import { bundleOf, type PromoCode } from './queries.ts';
import { statusOf } from './status.ts';

export function ListPage() {
  const { api, can } = useShop();
  const format = useFormat();
  const now = new Date();
  const typeText = (code: PromoCode): string =>
    code.is_template ? `${tOf('promo.type', code.type)} · ${t('promo.template')}` : tOf('promo.type', code.type);
  const valueText = (code: PromoCode): string => {
    const bundle = bundleOf(code);
    if (bundle !== null) return t('promo.bundle', { buy: bundle.buy, get: bundle.get });
    if (code.type === 'percent') return format.percent(Number(code.value) / 100);
    return code.type === 'fixed' ? format.money(Number(code.value)) : '–';
  };
  return (
    <List<PromoCode>
      name="promo-codes"
      title={t('nav.promo_codes')}
      resource="promo-codes"
      load={(query, signal) => rowsOf(api.GET('/promo-codes', { params: { query }, signal }))}
      idOf={(code) => code.id}
      path={(code) => `promo-codes/${code.id}`}
      search={{ key: 'code', placeholder: t('promo.search') }}
      columns={[
        {
          key: 'code',
          title: t('promo.code'),
          sort: sortBy('code'),
          cell: (code) => code.code,
          csv: (code) => code.code,
        },
        { key: 'type', title: t('field.type'), cell: typeText, csv: (code) => code.type },
        { key: 'value', title: t('promo.value'), cell: valueText, csv: valueText },
        {
          key: 'active',
          title: t('field.status'),
          cell: (code) => <Status value={statusOf(code, now)} />,
          csv: (code) => statusOf(code, now),
        },
        {
          key: 'ends_at',
          title: t('promo.ends'),
          sort: sortBy('ends'),
          wide: true,
          cell: (code) => <Moment at={code.ends_at} />,
          csv: (code) => code.ends_at,
        },
        {
          key: 'used_count',
          title: t('promo.used'),
          sort: sortBy('used'),
          align: 'right',
          cell: (code) =>
            code.usage_limit === null
              ? format.number(code.used_count)
              : `${format.number(code.used_count)} / ${format.number(code.usage_limit)}`,
          csv: (code) => code.used_count,
        },
      ]}
      filters={[
        { key: 'active', title: t('field.active'), type: 'yes_no' },
        { key: 'is_template', title: t('promo.template'), type: 'yes_no' },
      ]}
      {...(can('settings:write') ? { create: { path: 'promo-codes/new', text: t('promo.new') } } : {})}
      empty={{ icon: 'ticket', title: t('promo.empty'), text: t('promo.empty.text') }}
    />
  );
}
