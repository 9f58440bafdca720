import { Button } from '@mantine/core';
import { useState } from 'react';
import { ok } from '../../../api/client.ts';
import { useGo } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Anchor } from '../../../ui/Anchor.tsx';
import { useAct } from '../../../ui/actions/useAct.ts';
import { Facts, Loaded, Section } from '../../../ui/DetailPage.tsx';
import { ask } from '../../../ui/Dialogs.tsx';
import { Moment, useFormat } from '../../../ui/format.tsx';
import type { Campaign, Choices } from '../queries.ts';
import { namesOf } from './AudienceInput.tsx';
import { type Check, useCheck } from './check.ts';
import { stepPath } from './steps.ts';
import type { When } from './when.ts';
import css from './wizard.module.css';

interface GoStepProps {
  campaign: Campaign;
  choices: Choices;
  when: When;
  /** When it is to go; null: at once, or not typed yet. */
  at: string | null;
  byZones: boolean;
  /** Something typed is not stored, so the campaign to be sent differs from the form. */
  unsaved: boolean;
  /** Called once it is sent or scheduled. */
  onDone(): void;
}

/** Says what is about to happen, with the button for it. */
export function GoStep(props: GoStepProps) {
  return <Loaded query={useCheck(props.campaign, props.at)}>{(check) => <Going check={check} {...props} />}</Loaded>;
}

function Going({ check, campaign, choices, when, at, byZones, unsaved, onDone }: GoStepProps & { check: Check }) {
  const { api, can } = useShop();
  const go = useGo();
  const format = useFormat();
  const act = useAct();
  const [busy, setBusy] = useState(false);
  const { campaign_id: id, name } = campaign;
  const isLater = when.mode === 'later' || byZones;
  const isTimed = !isLater || when.at !== '';
  const shown = at === null ? t('campaign.when.now') : <Moment key="at" at={at} />;
  const send = async (): Promise<void> => {
    const n = check.recipients === null ? null : format.number(check.recipients);
    const text = n === null ? t('campaign.send.uncounted') : t('campaign.send.text', { n });
    const question =
      at === null
        ? { title: t('campaign.send.title', { name }), text, action: t('campaign.send') }
        : { title: t('campaign.schedule.title', { name }), text, action: t('campaign.schedule') };
    // A scheduled campaign can be stopped; with many recipients the person is asked anyway.
    if ((at === null || check.needs_confirmation) && !(await ask(question))) return;
    setBusy(true);
    const body = at === null ? {} : { scheduled_at: at };
    const done = await act(
      () => ok(api.POST('/campaigns/send/{id}', { params: { path: { id } }, body })),
      at === null ? t('campaign.done.send') : t('campaign.scheduled'),
    );
    setBusy(false);
    if (done === null) return;
    onDone();
    go(`campaigns/${id}`, { replace: true });
  };
  return (
    <Section title={t('campaign.summary')}>
      <div className="stack">
        <Facts
          facts={[
            [t('campaign.audience'), namesOf(campaign.audiences, choices)],
            [t('campaign.exclude'), namesOf(campaign.exclude, choices)],
            [
              t('check.recipients'),
              check.recipients === null ? t('check.recipients.unknown') : format.number(check.recipients),
            ],
            [t('template.subject'), campaign.subject ?? templateOf(campaign, choices)?.subject ?? null],
            [t('campaign.template'), templateOf(campaign, choices)?.name ?? null],
            [t('campaign.variants'), campaign.variants.map(({ key }) => key).join(', ')],
            [t('campaign.when'), isTimed ? shown : t('campaign.when.missing')],
            [t('campaign.zones'), byZones ? t('campaign.zones.fact') : null],
            [
              t('campaign.batch'),
              check.batches === null ? null : <BatchPlan key="batches" plan={check.batches} at={at} />,
            ],
          ]}
        />
        {check.needs_confirmation ? <p>{t('campaign.many')}</p> : null}
        {check.ready ? null : (
          <p role="alert" className={css.problem}>
            {t('campaign.not_ready')} <Anchor path={stepPath(id, 'check')}>{t('campaign.step.check')}</Anchor>
          </p>
        )}
        {isTimed ? null : (
          <p role="alert" className={css.problem}>
            {t('campaign.when.missing')} <Anchor path={stepPath(id, 'when')}>{t('campaign.step.when')}</Anchor>
          </p>
        )}
        <div className="row">
          <span className="grow" />
          <Button
            disabled={!check.ready || !isTimed || unsaved || !can('marketing:write')}
            loading={busy}
            onClick={() => void send()}
          >
            {at === null ? t('campaign.send') : t('campaign.schedule')}
          </Button>
        </div>
      </div>
    </Section>
  );
}

/** How many batches, and about when the last one begins. */
function BatchPlan({ plan, at }: { plan: NonNullable<Check['batches']>; at: string | null }) {
  const format = useFormat();
  const start = at === null ? Date.now() : new Date(at).getTime();
  const end = new Date(start + plan.takes_minutes * 60_000).toISOString();
  return (
    <>
      {t('campaign.batch.plan', { n: format.number(plan.count), size: format.number(plan.size) })} <Moment at={end} />
    </>
  );
}

const templateOf = ({ template_id }: Campaign, { templates }: Choices) =>
  templates.find((one) => one.template_id === template_id);
