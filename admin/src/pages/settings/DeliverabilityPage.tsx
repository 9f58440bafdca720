import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type BodyOf, type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useAct } from '../../ui/actions/useAct.ts';
import { Facts, Loaded, Section } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { percentText } from '../../ui/form/values.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { Status } from '../../ui/Status.tsx';
import css from './Domains.module.css';
import { Tabs } from './Tabs.tsx';

type Deliverability = Model<'Deliverability'>;

/** Bounces and complaints compared to the limits, the pause above them, and stricter limits of the company. */
export function DeliverabilityPage() {
  const { api, company } = useShop();
  const now = useQuery({
    queryKey: [company.id, 'deliverability'],
    queryFn: ({ signal }) => ok(api.GET('/deliverability', { signal })),
  });
  return (
    <>
      <Tabs current="deliverability" />
      <Loaded query={now}>
        {(read) => (
          <div className="stack">
            <Rates read={read} />
            <Limits read={read} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Rates({ read }: { read: Deliverability }) {
  const format = useFormat();
  const { state, reason, limits } = read;
  const rate = (one: 'complaint_rate' | 'bounce_rate', n: number): string =>
    t('deliverability.rate', {
      rate: format.percent(Math.round(read[one] * 100_000) / 100_000),
      n: format.number(n),
      limit: format.percent(limits[one]),
    });
  return (
    <Section title={t('deliverability.title')} actions={state === 'paused' ? <Resume /> : null}>
      <p aria-live="polite" className={css.state}>
        <Status value={state} /> {tOf('deliverability.state', state)}
      </p>
      {reason === null ? null : <p>{tOf('deliverability.todo', reason)}</p>}
      <Facts
        facts={[
          [t('deliverability.complaints'), rate('complaint_rate', read.complained)],
          [t('deliverability.bounces'), rate('bounce_rate', read.bounced)],
          [
            t('deliverability.sent'),
            t('deliverability.period', {
              n: format.number(read.sent),
              from: format.day(read.from),
              to: format.day(read.to),
            }),
          ],
          read.paused_at === null ? null : [t('deliverability.paused_at'), <Moment key="paused" at={read.paused_at} />],
          read.resumed_at === null
            ? null
            : [t('deliverability.resumed_at'), <Moment key="resumed" at={read.resumed_at} />],
        ]}
      />
      {read.sent < limits.least_messages ? (
        <p className="dim">{t('deliverability.few', { n: format.number(limits.least_messages) })}</p>
      ) : null}
    </Section>
  );
}

function Resume() {
  const { api, can } = useShop();
  const act = useAct();
  if (!can('marketing:write')) return null;
  const resume = async (): Promise<void> => {
    const sure = await ask({
      title: t('deliverability.resume.title'),
      text: t('deliverability.resume.text'),
      action: t('deliverability.resume'),
    });
    if (sure) await act(() => ok(api.POST('/deliverability/resume')), t('deliverability.resumed'));
  };
  return (
    <Button size="xs" onClick={() => void resume()}>
      {t('deliverability.resume')}
    </Button>
  );
}

const RATES = ['max_complaint_rate', 'max_bounce_rate'] as const;

/** Typed in percent, kept as shares of 1. */
function Limits({ read }: { read: Deliverability }) {
  const { api, company, can } = useShop();
  const settings = useQuery({
    queryKey: [company.id, 'sending-settings'],
    queryFn: ({ signal }) => ok(api.GET('/sending-settings', { signal })),
  });
  const groups: FieldGroup<BodyOf<'/sending-settings', 'patch'>>[] = [
    {
      title: t('deliverability.limits'),
      fields: RATES.map((name) => {
        return {
          name,
          label: t(`deliverability.${name}`),
          type: 'number',
          precise: true,
          percent: true,
          half: true,
          help: t('deliverability.limits.help'),
        };
      }),
    },
  ];
  return (
    <Loaded query={settings}>
      {(current) => (
        <RecordForm
          key={`${read.limits.complaint_rate} ${read.limits.bounce_rate}`}
          draft="settings-deliverability"
          groups={groups}
          initial={Object.fromEntries(RATES.map((name) => [name, percentText(current[name])]))}
          save={(body) => ok(api.PATCH('/sending-settings', { body }))}
          done={{ text: t('form.saved') }}
          submit={t('action.save')}
          readOnly={!can('marketing:write')}
        />
      )}
    </Loaded>
  );
}
