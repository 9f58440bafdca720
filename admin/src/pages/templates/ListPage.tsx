import './texts.ts';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Moment } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import type { Template } from './queries.ts';

export function ListPage() {
  const { api, can } = useShop();
  return (
    <List<Template>
      name="templates"
      title={t('nav.templates')}
      resource="templates"
      load={async (query, signal) => {
        const { templates, pagination } = await ok(api.GET('/templates', { params: { query }, signal }));
        return { rows: templates, total: pagination.total };
      }}
      idOf={(template) => template.template_id}
      path={(template) => `templates/${template.template_id}`}
      columns={[
        { key: 'name', title: t('field.name'), cell: (template) => template.name, csv: (template) => template.name },
        {
          key: 'channel',
          title: t('template.channel'),
          cell: (template) => tOf('channel', template.channel),
          csv: (template) => template.channel,
        },
        {
          key: 'subject',
          title: t('template.subject'),
          wide: true,
          cell: (template) => template.subject,
          csv: (template) => template.subject,
        },
        {
          key: 'updated_at',
          title: t('field.changed'),
          wide: true,
          cell: (template) => <Moment at={template.updated_at} />,
          csv: (template) => template.updated_at,
        },
      ]}
      filters={[
        {
          key: 'channel',
          title: t('template.channel'),
          type: 'choice',
          choices: (['email', 'sms'] as const).map((value) => ({ value, label: tOf('channel', value) })),
        },
      ]}
      {...(can('marketing:write') ? { create: { path: 'templates/new', text: t('template.new') } } : {})}
      empty={{ icon: 'template', title: t('templates.empty'), text: t('templates.empty.text') }}
    />
  );
}
