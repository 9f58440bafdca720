import '../../templates/texts.ts';
import { Button } from '@mantine/core';
import { ok } from '../../../api/client.ts';
import { useGo } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Loaded } from '../../../ui/DetailPage.tsx';
import { FieldGroups } from '../../../ui/form/FieldGroups.tsx';
import { useRecordForm } from '../../../ui/form/useRecordForm.ts';
import { say } from '../../../ui/messages.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { type Campaign, type Choices, useChoices } from '../queries.ts';
import { bodyOf, EMPTY, fieldOf, groupsOf } from './groups.ts';
import { StepForm } from './StepForm.tsx';
import { StepNav } from './StepNav.tsx';
import { stepPath } from './steps.ts';
import css from './wizard.module.css';

export function CreatePage() {
  return <Loaded query={useChoices(null)}>{(choices) => <Create choices={choices} />}</Loaded>;
}

/** Only the first step; the campaign that it creates has all of them. */
function Create({ choices }: { choices: Choices }) {
  const { api } = useShop();
  const go = useGo();
  const groups = groupsOf(choices, null, 'who');
  const form = useRecordForm({
    draft: 'campaigns-new',
    groups,
    initial: EMPTY,
    whole: true,
    fieldOf,
    save: async (body, values) => ok(api.POST('/campaigns', { body: { ...bodyOf(body, values), type: body.channel } })),
  });
  const submit = async (): Promise<void> => {
    const made = (await form.save()) as { saved: Campaign } | null;
    if (made === null) return;
    say(t('form.created'));
    form.letGo();
    go(stepPath(made.saved.campaign_id, 'what'), { replace: true });
  };
  return (
    <>
      <PageHeader title={t('campaign.new')} back={{ path: 'campaigns', text: t('nav.campaigns') }} />
      <StepForm form={form} onSubmit={() => void submit()}>
        <StepNav id={null} step="who" />
        <FieldGroups form={form} groups={groups} />
        <div className={css.foot}>
          <Button type="submit" loading={form.busy}>
            {t('action.continue')}
          </Button>
        </div>
      </StepForm>
    </>
  );
}
