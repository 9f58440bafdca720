import { useQuery } from '@tanstack/react-query';
import { ok } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { actorText, isPerson } from '../../ui/actor.ts';
import { Moment } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { Action, actionText } from './Action.tsx';
import { Changes } from './Changes.tsx';

type Entry = paths['/audit']['get']['responses'][200]['content']['application/json']['entries'][number];

/** Who changed what, and the values before. */
export function ListPage() {
  const { api, company } = useShop();
  const known = useQuery({
    queryKey: [company.id, 'audit', 'actors'],
    queryFn: async ({ signal }) => (await ok(api.GET('/audit/actors', { signal }))).actors,
  });
  const actors = (known.data ?? []).map(({ actor, name, member }) => {
    const text = actorText(actor, name);
    return { value: actor, label: member || !isPerson(actor) ? text : t('audit.removed', { name: text }) };
  });
  return (
    <List<Entry>
      name="audit"
      title={t('nav.audit')}
      resource="audit"
      load={async (query, signal) => {
        const { entries, pagination } = await ok(api.GET('/audit', { params: { query }, signal }));
        return { rows: entries, total: pagination.total };
      }}
      idOf={(entry) => entry.id}
      columns={[
        { key: 'at', title: t('field.when'), cell: (entry) => <Moment at={entry.at} />, csv: (entry) => entry.at },
        {
          key: 'actor',
          title: t('field.who'),
          cell: (entry) => actorText(entry.actor, entry.actor_name),
          csv: (entry) => entry.actor,
        },
        {
          key: 'action',
          title: t('field.what'),
          cell: (entry) => <Action action={entry.action} target={entry.target} />,
          csv: (entry) => `${actionText(entry.action)} ${entry.target}`,
        },
        {
          key: 'changes',
          full: true,
          title: t('audit.changes'),
          cell: (entry) =>
            entry.erased ? (
              <span className="dim">{t('audit.erased')}</span>
            ) : (
              <Changes before={entry.before} after={entry.details} />
            ),
          csv: (entry) => JSON.stringify({ before: entry.before, after: entry.details }),
        },
      ]}
      filters={[
        {
          key: 'actor',
          title: t('field.who'),
          type: 'choice',
          choices: actors,
        },
        { key: 'target', title: t('audit.record'), type: 'text' },
        { key: 'action', title: t('audit.action'), type: 'text' },
      ]}
      empty={{ icon: 'list-details', title: t('audit.empty'), text: t('audit.empty.text') }}
    />
  );
}
