import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import type { ContactList } from './queries.ts';

export function ListPage() {
  const { api, can } = useShop();
  const format = useFormat();
  return (
    <List<ContactList>
      name="lists"
      title={t('nav.lists')}
      resource="lists"
      load={async (query, signal) => {
        const { lists, pagination } = await ok(api.GET('/lists', { params: { query }, signal }));
        return { rows: lists, total: pagination.total };
      }}
      idOf={(list) => list.list_id}
      path={(list) => `lists/${list.list_id}`}
      columns={[
        { key: 'name', title: t('field.name'), cell: (list) => list.name, csv: (list) => list.name },
        {
          key: 'active',
          title: t('list.active'),
          align: 'right',
          cell: (list) => format.number(list.counts.active),
          csv: (list) => list.counts.active,
        },
        {
          key: 'unsubscribed',
          title: t('status.unsubscribed'),
          align: 'right',
          cell: (list) => format.number(list.counts.unsubscribed),
          csv: (list) => list.counts.unsubscribed,
        },
        {
          key: 'double_opt_in',
          title: t('list.double_opt_in'),
          wide: true,
          cell: (list) => (list.double_opt_in ? t('choice.yes') : t('choice.no')),
          csv: (list) => list.double_opt_in,
        },
        {
          key: 'internal',
          title: t('list.internal'),
          wide: true,
          cell: (list) => (list.internal ? t('choice.yes') : t('choice.no')),
          csv: (list) => list.internal,
        },
        {
          key: 'created_at',
          title: t('field.created'),
          wide: true,
          cell: (list) => <Moment at={list.created_at} />,
          csv: (list) => list.created_at,
        },
      ]}
      {...(can('marketing:write') ? { create: { path: 'lists/new', text: t('list.new') } } : {})}
      empty={{ icon: 'list-details', title: t('lists.empty'), text: t('lists.empty.text') }}
    />
  );
}
