import '../../templates/texts.ts';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { isAllowed } from '../../../../../src/marketing/campaigns/status.ts';
import { ok } from '../../../api/client.ts';
import { useGo, useId, useSearchValues } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Loaded } from '../../../ui/DetailPage.tsx';
import { FieldGroups } from '../../../ui/form/FieldGroups.tsx';
import { useRecordForm } from '../../../ui/form/useRecordForm.ts';
import { say } from '../../../ui/messages.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { type Campaign, type Choices, useCampaign, useChoices } from '../queries.ts';
import { TestDialog } from '../TestDialog.tsx';
import { CampaignPreview } from './CampaignPreview.tsx';
import { CheckStep } from './CheckStep.tsx';
import { GoStep } from './GoStep.tsx';
import { bodyOf, fieldOf, groupsOf, valuesOf } from './groups.ts';
import { byZones as zonesOf } from './options.ts';
import { StepForm } from './StepForm.tsx';
import { StepNav } from './StepNav.tsx';
import { STEPS, type Step, stepAfter, stepOf, stepPath } from './steps.ts';
import { TemplateWorkContext } from './TemplateInput.tsx';
import { useTemplateWork } from './template-work.ts';
import { WhenStep } from './WhenStep.tsx';
import { timeOf, useWhen } from './when.ts';
import css from './wizard.module.css';

export function EditPage() {
  return <Loaded query={useCampaign(useId())}>{(campaign) => <Edit campaign={campaign} />}</Loaded>;
}

function Edit({ campaign }: { campaign: Campaign }) {
  return <Loaded query={useChoices(campaign)}>{(choices) => <Wizard campaign={campaign} choices={choices} />}</Loaded>;
}

function Wizard({ campaign, choices }: { campaign: Campaign; choices: Choices }) {
  const { api, company, can } = useShop();
  const go = useGo();
  const [search] = useSearchValues();
  const step = stepOf(search.step);
  const { campaign_id: id, name, type, status } = campaign;
  const path = `campaigns/${id}`;
  const params = { path: { id } };
  const readOnly = !can('marketing:write') || !isAllowed('edit', status);
  const groups = groupsOf(choices, type, step);
  const form = useRecordForm({
    draft: path,
    groups,
    initial: valuesOf(campaign),
    fieldOf,
    theirs: async () => {
      const stored = await ok(api.GET('/campaigns/{id}', { params }));
      return { values: valuesOf(stored), revision: stored.revision };
    },
    save: (body, values, headers) => ok(api.PATCH('/campaigns/{id}', { params, headers, body: bodyOf(body, values) })),
  });
  const { when, set: setWhen, forget: forgetWhen } = useWhen(campaign);
  const [untimed, setUntimed] = useState(false);
  const [testing, setTesting] = useState(false);
  const byZones = zonesOf(form.values);
  const at = timeOf(when, byZones, company.time_zone);

  /** Saves; returns whether everything typed is stored. */
  const saved = async (): Promise<boolean> => {
    if (!form.changed) return true;
    if ((await form.save()) === null) return false;
    say(t('form.saved'));
    return true;
  };
  /** A step is saved when it is left. */
  const leaveFor = async (next: Step): Promise<void> => {
    const isAhead = STEPS.indexOf(next) > STEPS.indexOf('when');
    const lacksTime = !readOnly && step === 'when' && isAhead && when.at === '' && (byZones || when.mode === 'later');
    setUntimed(lacksTime);
    if (lacksTime || !(await saved())) return;
    go(stepPath(id, next));
  };
  const work = useTemplateWork(id, saved, form.letGo);
  return (
    <>
      <PageHeader title={t('form.edit', { name })} back={{ path, text: name }} />
      <StepForm form={form} onSubmit={() => void leaveFor(stepAfter(step))}>
        <StepNav id={id} step={step} onGo={(next) => void leaveFor(next)} />
        <TemplateWorkContext value={readOnly || type === 'sms' ? null : work}>
          <FieldGroups form={form} groups={groups} readOnly={readOnly} />
        </TemplateWorkContext>
        {step === 'what' ? <CampaignPreview values={form.values} choices={choices} /> : null}
        {step === 'when' ? (
          <WhenStep
            when={when}
            byZones={byZones}
            readOnly={readOnly}
            error={untimed && when.at === '' ? t('campaign.when.missing') : undefined}
            onChange={setWhen}
          />
        ) : null}
        {form.changed && (step === 'check' || step === 'go') ? (
          <div role="status" className={css.unsaved}>
            <span className="grow">{t('campaign.unsaved')}</span>
            <Button size="xs" loading={form.busy} onClick={() => void saved()}>
              {t('action.save')}
            </Button>
          </div>
        ) : null}
        {step === 'check' ? <CheckStep campaign={campaign} at={at} /> : null}
        {step === 'go' ? (
          <GoStep
            campaign={campaign}
            choices={choices}
            when={when}
            at={at}
            byZones={byZones}
            unsaved={form.changed}
            onDone={forgetWhen}
          />
        ) : (
          <div className={css.foot}>
            {step === 'what' && !readOnly ? (
              <Button
                variant="default"
                onClick={() => void saved().then((isSaved) => (isSaved ? setTesting(true) : undefined))}
              >
                {t('campaign.test')}
              </Button>
            ) : null}
            <Button type="submit" loading={form.busy}>
              {t('action.continue')}
            </Button>
          </div>
        )}
      </StepForm>
      {testing ? <TestDialog campaign={campaign} onClose={() => setTesting(false)} /> : null}
    </>
  );
}
