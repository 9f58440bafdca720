import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import type { SignupForm } from './queries.ts';

export function ListPage() {
  const { api, can } = useShop();
  const format = useFormat();
  return (
    <List<SignupForm>
      name="forms"
      title={t('nav.forms')}
      resource="forms"
      load={async (query, signal) => {
        const { forms, pagination } = await ok(api.GET('/forms', { params: { query }, signal }));
        return { rows: forms, total: pagination.total };
      }}
      idOf={(form) => form.form_id}
      path={(form) => `forms/${form.form_id}`}
      columns={[
        { key: 'name', title: t('field.name'), cell: (form) => form.name, csv: (form) => form.name },
        {
          key: 'submissions',
          title: t('form.submissions'),
          align: 'right',
          cell: (form) => format.number(form.submissions),
          csv: (form) => form.submissions,
        },
        {
          key: 'confirmed',
          title: t('form.confirmed'),
          align: 'right',
          cell: (form) => format.number(form.confirmed),
          csv: (form) => form.confirmed,
        },
        {
          key: 'double_opt_in',
          title: t('form.double_opt_in'),
          wide: true,
          cell: (form) => (form.double_opt_in ? t('choice.yes') : t('choice.no')),
          csv: (form) => form.double_opt_in,
        },
        {
          key: 'created_at',
          title: t('field.created'),
          wide: true,
          cell: (form) => <Moment at={form.created_at} />,
          csv: (form) => form.created_at,
        },
      ]}
      {...(can('marketing:write') ? { create: { path: 'forms/new', text: t('form.new') } } : {})}
      empty={{ icon: 'inbox', title: t('forms.empty'), text: t('forms.empty.text') }}
    />
  );
}
