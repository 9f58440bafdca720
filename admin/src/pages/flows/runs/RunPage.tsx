import '../../templates/texts.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ok, type ResponseOf } from '../../../api/client.ts';
import { useId } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { t, tOf } from '../../../i18n/i18n.ts';
import { DetailColumns, Facts, Loaded, Section } from '../../../ui/DetailPage.tsx';
import { Moment, useFormat } from '../../../ui/format.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { Status } from '../../../ui/Status.tsx';
import { Timeline } from '../../../ui/Timeline.tsx';
import { Reason } from '../../../ui/words/Reason.tsx';
import { useFlow } from '../queries.ts';
import { stepName } from '../step-name.ts';
import { RetryButton, RunContact } from './RunParts.tsx';

type Line = ResponseOf<'/flows/runs/{run_id}'>['log'][number];

/** One run with its log. */
export function RunPage() {
  const { api, company } = useShop();
  const [flowId, runId] = [useId(), useId('run')];
  const query = useQuery({
    queryKey: [company.id, 'flows', flowId, 'runs', 'one', runId],
    queryFn: ({ signal }) => ok(api.GET('/flows/runs/{run_id}', { params: { path: { run_id: runId } }, signal })),
  });
  const { data: flow } = useFlow(flowId);
  const format = useFormat();
  const resultOf = ({ result }: Line): string => {
    const state = tOf('flow.result', result);
    return state === result ? tOf('status', result) : state;
  };
  const detailOf = ({ result, detail }: Line): ReactNode => {
    if (detail === null) return null;
    if (result === 'moved' || result === 'goal') return stepName(flow, detail);
    const [, until] = /^until (\d{4}-\S+)$/.exec(detail) ?? [];
    return until === undefined ? <Reason value={detail} /> : t('flow.result.until', { at: format.moment(until) });
  };
  return (
    <Loaded query={query}>
      {(run) => (
        <>
          <PageHeader
            title={t('flow.run.title', { id: run.run_id })}
            back={{ path: `flows/${flowId}`, text: t('nav.flows') }}
            badge={<Status value={run.status} />}
          >
            <RetryButton run={run} />
          </PageHeader>
          <DetailColumns
            side={
              <Section title={t('section.details')}>
                <Facts
                  facts={[
                    [t('field.contact'), <RunContact key="contact" run={run} />],
                    [t('flow.at_step'), run.step_id === null ? null : stepName(flow, run.step_id)],
                    [t('field.reason'), run.reason === null ? null : <Reason key="reason" value={run.reason} />],
                    [t('flow.version'), String(run.version)],
                    [t('flow.since'), <Moment key="since" at={run.entered_at} />],
                    run.due_at === null ? null : [t('flow.next'), <Moment key="due" at={run.due_at} />],
                    run.ended_at === null ? null : [t('flow.ended'), <Moment key="ended" at={run.ended_at} />],
                  ]}
                />
              </Section>
            }
          >
            <Section title={t('flow.log')}>
              <Timeline
                label={t('flow.log')}
                items={run.log.toReversed().map((line, i) => ({
                  key: `${run.log.length - i}`,
                  at: line.at,
                  icon: line.result === 'skipped' || line.result === 'failed' ? 'x' : 'check',
                  what: (
                    <>
                      {line.step_id === null ? t('flow.trigger') : stepName(flow, line.step_id)}
                      {line.type === null ? null : <span className="dim"> · {tOf('flow.step', line.type)}</span>}
                      {' · '}
                      {resultOf(line)}
                    </>
                  ),
                  text: detailOf(line),
                }))}
              />
            </Section>
          </DetailColumns>
        </>
      )}
    </Loaded>
  );
}
