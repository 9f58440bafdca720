import { useQuery } from '@tanstack/react-query';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { Tabs } from './Tabs.tsx';

const groups = (): FieldGroup<BodyOf<'/loyalty/settings', 'patch'>>[] => [
  {
    title: t('settings.loyalty'),
    fields: [
      { name: 'enabled', label: t('loyalty.enabled'), type: 'switch' },
      { name: 'points_per_dollar', label: t('loyalty.per_unit'), type: 'number', half: true },
      { name: 'point_value', label: t('loyalty.value'), type: 'money', half: true },
      { name: 'min_redeem_points', label: t('loyalty.minimum'), type: 'number', half: true },
      {
        name: 'earn_on',
        label: t('loyalty.earn_on'),
        type: 'choice',
        half: true,
        choices: [
          { value: 'placed', label: t('loyalty.earn_on.placed') },
          { value: 'delivered', label: t('loyalty.earn_on.delivered') },
        ],
      },
    ],
  },
];

export function LoyaltyPage() {
  const { api, company, can } = useShop();
  const program = useQuery({
    queryKey: [company.id, 'loyalty-program'],
    queryFn: ({ signal }) => dataOf(api.GET('/loyalty/settings', { signal })),
  });
  return (
    <>
      <Tabs current="loyalty" />
      <Loaded query={program}>
        {({ points_per_dollar, point_value, min_redeem_points, enabled, earn_on }) => (
          <RecordForm
            draft="settings-loyalty"
            groups={groups()}
            initial={{
              enabled,
              earn_on,
              points_per_dollar: String(points_per_dollar),
              point_value: String(point_value),
              min_redeem_points: String(min_redeem_points),
            }}
            save={(body) => dataOf(api.PATCH('/loyalty/settings', { body }))}
            done={{ text: t('form.saved') }}
            submit={t('action.save')}
            readOnly={!can('settings:write')}
          />
        )}
      </Loaded>
    </>
  );
}
