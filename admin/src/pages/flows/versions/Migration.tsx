import { Button, NativeSelect } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t, tOf } from '../../../i18n/i18n.ts';
import { Section, SmallTable } from '../../../ui/DetailPage.tsx';
import { ask } from '../../../ui/Dialogs.tsx';
import { useFormat } from '../../../ui/format.tsx';
import { say, sayError } from '../../../ui/messages.tsx';
import type { Flow } from '../queries.ts';

const END = ':end';

/** The positions of runs of older versions, and a form to migrate them to the newest; for those whose step it lacks one chooses another. */
export function Migration({ flow }: { flow: Flow }) {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const format = useFormat();
  const [chosen, setChosen] = useState<Record<string, string>>({});
  const params = { path: { id: flow.flow_id } };
  const { data } = useQuery({
    queryKey: [company.id, 'flows', flow.flow_id, 'migration'],
    enabled: flow.version > 0,
    queryFn: ({ signal }) => ok(api.GET('/flows/{id}/migration', { params, signal })),
  });
  if (data === undefined || data.standing.length === 0) return null;
  const runs = data.standing.reduce((sum, one) => sum + one.runs, 0);
  const moves = Object.entries(chosen)
    .filter(([, to]) => to !== '')
    .map(([step_id, to]) => ({ step_id, to: to === END ? null : to }));
  const isMoving = (one: (typeof data.standing)[number]): boolean => one.fits || Boolean(chosen[one.step_id ?? '']);
  const moving = data.standing.filter(isMoving).reduce((sum, one) => sum + one.runs, 0);
  const migrate = async (): Promise<void> => {
    const question = {
      title: t('migration.title', { n: moving }),
      text: t('migration.text', { version: data.version }),
    };
    if (!(await ask({ ...question, action: t('migration.action') }))) return;
    try {
      const { migrated, pending } = await ok(api.POST('/flows/migrate/{id}', { params, body: { moves } }));
      await client.invalidateQueries({ queryKey: [company.id, 'flows', flow.flow_id] });
      say(t(pending ? 'migration.pending' : 'migration.done', { n: migrated }));
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <Section
      title={t('migration.heading')}
      flush
      actions={
        can('marketing:write') ? (
          <Button size="xs" disabled={moving === 0} onClick={() => void migrate()}>
            {t('migration.title', { n: moving })}
          </Button>
        ) : null
      }
    >
      <SmallTable
        caption={t('migration.heading')}
        intro={t('migration.intro', { n: runs, version: data.version })}
        rows={data.standing}
        keyOf={({ version, step_id }) => `${version} ${step_id}`}
        empty={t('flow.no_runs')}
        columns={[
          { title: t('flow.version'), cell: ({ version }) => String(version) },
          { title: t('flow.at_step'), cell: ({ step_id }) => step_id ?? t('flow.trigger') },
          { title: t('flow.runs'), right: true, cell: (one) => format.number(one.runs) },
          {
            title: t('migration.goes'),
            cell: ({ step_id, fits }) =>
              fits || step_id === null ? (
                t('migration.same_step')
              ) : (
                <NativeSelect
                  size="xs"
                  aria-label={t('migration.goes_from', { step: step_id })}
                  value={chosen[step_id] ?? ''}
                  data={[
                    { value: '', label: t('migration.stays') },
                    { value: END, label: t('migration.ends') },
                    ...flow.steps.map((step) => ({
                      value: step.step_id,
                      label: `${step.name || tOf('flow.step', step.type)} (${step.step_id})`,
                    })),
                  ]}
                  onChange={({ currentTarget }) => setChosen({ ...chosen, [step_id]: currentTarget.value })}
                />
              ),
          },
        ]}
      />
    </Section>
  );
}
