import './texts.ts';
import { CUSTOM_FIELD_OWNERS } from '../../../../src/commerce/custom-fields/definition.ts';
import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import type { CustomField } from './queries.ts';

export function ListPage() {
  const { api, can } = useShop();
  return (
    <List<CustomField>
      name="custom-fields"
      title={t('nav.custom_fields')}
      resource="custom-fields"
      load={(query, signal) => rowsOf(api.GET('/custom-fields', { params: { query }, signal }))}
      idOf={(field) => field.id}
      path={(field) => `custom-fields/${field.id}`}
      filters={[
        {
          key: 'on',
          title: t('custom_field.on'),
          type: 'choice',
          choices: CUSTOM_FIELD_OWNERS.map((value) => ({ value, label: tOf('custom_field.on', value) })),
        },
      ]}
      columns={[
        { key: 'name', title: t('field.name'), cell: ({ name }) => name, csv: ({ name }) => name },
        { key: 'on', title: t('custom_field.on'), cell: ({ on }) => tOf('custom_field.on', on), csv: ({ on }) => on },
        { key: 'key', title: t('custom_field.key'), wide: true, cell: ({ key }) => key, csv: ({ key }) => key },
        {
          key: 'type',
          title: t('custom_field.type'),
          cell: ({ type }) => tOf('custom_field.type', type),
          csv: ({ type }) => type,
        },
        {
          key: 'required',
          title: t('custom_field.required'),
          wide: true,
          cell: ({ required }) => (required ? t('choice.yes') : t('choice.no')),
          csv: ({ required }) => required,
        },
      ]}
      {...(can('settings:write') ? { create: { path: 'custom-fields/new', text: t('custom_field.new') } } : {})}
      empty={{ icon: 'columns', title: t('custom_fields.empty'), text: t('custom_fields.empty.text') }}
    />
  );
}
