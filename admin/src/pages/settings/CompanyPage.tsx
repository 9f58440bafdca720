import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { SESSION, useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { Everything } from './Everything.tsx';
import { Tabs } from './Tabs.tsx';

const groups = (): FieldGroup<BodyOf<'/settings', 'patch'>>[] => [
  {
    title: t('settings.company'),
    fields: [
      { name: 'name', label: t('field.name'), type: 'text', required: true },
      {
        name: 'currency',
        label: t('settings.currency'),
        type: 'pick',
        places: 'currency',
        half: true,
        help: t('settings.currency.help'),
      },
      { name: 'time_zone', label: t('settings.time_zone'), type: 'pick', places: 'zone', half: true },
      {
        name: 'country',
        label: t('field.country'),
        type: 'pick',
        places: 'country',
        half: true,
        help: t('settings.country.help'),
      },
    ],
  },
  {
    title: t('settings.invoices'),
    fields: [
      { name: 'address', label: t('settings.address'), type: 'long', help: t('settings.address.help') },
      {
        name: 'tax_number',
        label: t('settings.tax_number'),
        type: 'text',
        half: true,
        help: t('settings.tax_number.help'),
      },
    ],
  },
  {
    title: t('nav.taxes'),
    fields: [
      { name: 'prices_include_tax', label: t('settings.include_tax'), type: 'switch' },
      {
        name: 'tax_rounding',
        label: t('settings.rounding'),
        type: 'choice',
        choices: [
          { value: 'line', label: t('settings.rounding.line') },
          { value: 'order', label: t('settings.rounding.order') },
        ],
      },
    ],
  },
];

export function CompanyPage() {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const settings = useQuery({
    queryKey: [company.id, 'settings'],
    queryFn: ({ signal }) => dataOf(api.GET('/settings', { signal })),
  });
  return (
    <>
      <Tabs current="company" />
      <Loaded query={settings}>
        {(initial) => (
          <RecordForm
            draft="settings"
            groups={groups()}
            initial={initial}
            save={async (body) => {
              await dataOf(api.PATCH('/settings', { body }));
              // The frame's name, currency and time zone come with the session.
              await client.invalidateQueries({ queryKey: SESSION });
            }}
            done={{ text: t('form.saved') }}
            submit={t('action.save')}
            readOnly={!can('company:write')}
          />
        )}
      </Loaded>
      {can('company:write') ? <Everything /> : null}
    </>
  );
}
