import '../templates/texts.ts';
import { Button, Menu } from '@mantine/core';
import { useEffect } from 'react';
import { TRANSITIONS } from '../../../../src/marketing/flows/status.ts';
import { ok } from '../../api/client.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { MoreMenu } from '../../ui/actions/MoreMenu.tsx';
import { useAct } from '../../ui/actions/useAct.ts';
import { DetailColumns, Facts, Loaded, Section } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { saveFile } from '../../ui/list/csv.ts';
import { say } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';
import { textOfFlow } from './model/transfer.ts';
import { warningsOf } from './model/warnings.ts';
import { Outline } from './Outline.tsx';
import { type Flow, useFlow } from './queries.ts';
import { Runs } from './runs/Runs.tsx';
import '../events/words.ts';

export function DetailPage() {
  // The steps are usually opened next: loads their code in advance.
  useEffect(() => void import('./builder/BuilderPage.tsx'), []);
  return <Loaded query={useFlow(useId())}>{(flow) => <FlowPage flow={flow} />}</Loaded>;
}

function FlowPage({ flow }: { flow: Flow }) {
  const { can } = useShop();
  const go = useGo();
  const format = useFormat();
  const { stats, reentry } = flow;
  return (
    <>
      <PageHeader
        title={flow.name}
        back={{ path: 'flows', text: t('nav.flows') }}
        badge={<Status value={flow.status} />}
      >
        <Button variant="default" onClick={() => go(`flows/${flow.flow_id}/edit`)}>
          {t('builder.open')}
        </Button>
        {flow.version === 0 ? null : (
          <Button variant="default" onClick={() => go(`flows/${flow.flow_id}/versions`)}>
            {t('versions.open')}
          </Button>
        )}
        {can('marketing:write') ? <Actions flow={flow} /> : null}
      </PageHeader>
      <DetailColumns
        side={
          <>
            <Section title={t('flow.numbers')}>
              <Facts
                facts={(['entered', 'active', 'completed', 'exited', 'failed', 'sent', 'converted'] as const).map(
                  (name) => [tOf('flow.count', name), format.number(stats[name])] as const,
                )}
              />
            </Section>
            <Section title={t('section.details')}>
              <Facts
                facts={[
                  [t('flow.trigger'), tOf('event_type', flow.trigger_type)],
                  [t('flow.reentry'), tOf('flow.reentry', reentry.mode)],
                  flow.quiet_hours === null
                    ? null
                    : [t('flow.quiet_hours'), `${flow.quiet_hours.start}–${flow.quiet_hours.end}`],
                  flow.goal === null ? null : [t('flow.goal'), flow.goal.event_type],
                  [t('flow.version'), flow.version === 0 ? null : String(flow.version)],
                  [t('field.changed'), <Moment key="changed" at={flow.updated_at} />],
                ]}
              />
            </Section>
          </>
        }
      >
        <Outline flow={flow} />
        {flow.version === 0 ? null : <Runs flow={flow} />}
      </DetailColumns>
    </>
  );
}

function Actions({ flow }: { flow: Flow }) {
  const { api } = useShop();
  const go = useGo();
  const { status, name } = flow;
  const params = { path: { id: flow.flow_id } };
  const act = useAct();
  const saved = t('form.saved');
  const activate = async (): Promise<void> => {
    const active = await act(() => ok(api.POST('/flows/activate/{id}', { params })), saved);
    const messages = active ? warningsOf(active).map(({ message }) => message) : [];
    if (messages.length > 0) say([...new Set(messages)].join(' '));
  };
  const archive = async (): Promise<void> => {
    const question = { title: t('flow.archive.title', { name }), text: t('flow.archive.text') };
    if (await ask({ ...question, action: t('flow.archive') }))
      await act(() => ok(api.POST('/flows/archive/{id}', { params })), saved);
  };
  const copy = async (): Promise<void> => {
    const made = await act(() => ok(api.POST('/flows/duplicate/{id}', { params })), saved);
    if (made) go(`flows/${made.flow_id}`);
  };
  return (
    <>
      {status === 'active' ? (
        <Button variant="default" onClick={() => void act(() => ok(api.POST('/flows/pause/{id}', { params })), saved)}>
          {t('flow.pause')}
        </Button>
      ) : null}
      {TRANSITIONS.activate.from.includes(status) ? (
        <Button onClick={() => void activate()}>{status === 'draft' ? t('flow.activate') : t('flow.resume')}</Button>
      ) : null}
      <MoreMenu>
        <Menu.Item onClick={() => saveFile(`${name}.json`, [textOfFlow(flow)], 'application/json')}>
          {t('flow.export')}
        </Menu.Item>
        <Menu.Item onClick={() => void copy()}>{t('campaign.duplicate')}</Menu.Item>
        {TRANSITIONS.archive.from.includes(status) ? (
          <Menu.Item color="red" onClick={() => void archive()}>
            {t('flow.archive')}
          </Menu.Item>
        ) : null}
      </MoreMenu>
    </>
  );
}
