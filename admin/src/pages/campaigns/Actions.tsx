import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { isAllowed } from '../../../../src/marketing/campaigns/status.ts';
import { ok } from '../../api/client.ts';
import { useGo } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { MoreMenu } from '../../ui/actions/MoreMenu.tsx';
import { useAct } from '../../ui/actions/useAct.ts';
import { ask } from '../../ui/Dialogs.tsx';
import { useFormat } from '../../ui/format.tsx';
import type { Campaign } from './queries.ts';
import { TestDialog } from './TestDialog.tsx';
import { stepPath } from './wizard/steps.ts';

/** What can be done with a campaign in its status. */
export function Actions({ campaign }: { campaign: Campaign }) {
  const { api } = useShop();
  const go = useGo();
  const format = useFormat();
  const act = useAct();
  const [testing, setTesting] = useState(false);
  const { campaign_id: id, name, status, counts } = campaign;
  const params = { path: { id } };
  const isDraft = isAllowed('edit', status);
  const cancel = async (): Promise<void> => {
    const question = { title: t('campaign.cancel.title', { name }), text: t('campaign.cancel.text') };
    if (!(await ask({ ...question, action: t('campaign.cancel') }))) return;
    await act(() => ok(api.POST('/campaigns/cancel/{id}', { params })), t('campaign.done.cancel'));
  };
  const remove = async (): Promise<void> => {
    const question = { title: t('delete.title', { name }), text: t('campaign.delete.text') };
    if (!(await ask({ ...question, action: t('action.delete') }))) return;
    if (await act(() => ok(api.DELETE('/campaigns/{id}', { params })), t('form.deleted')))
      go('campaigns', { replace: true });
  };
  const unschedule = (): void => {
    const body = { scheduled_at: null };
    void act(() => ok(api.PATCH('/campaigns/{id}', { params, body })), t('campaign.done.unschedule'));
  };
  const copy = async (): Promise<void> => {
    const made = await act(() => ok(api.POST('/campaigns/duplicate/{id}', { params })), t('campaign.done.duplicate'));
    if (made) go(`campaigns/${made.campaign_id}`);
  };
  const resend = async (): Promise<void> => {
    const made = await act(
      () => ok(api.POST('/campaigns/resend/{id}', { params, body: {} })),
      t('campaign.done.resend'),
    );
    if (made) go(stepPath(made.campaign_id, 'what'));
  };
  return (
    <>
      {isDraft ? (
        <>
          <Button component={Anchor} path={stepPath(id, 'what')} variant="default">
            {t('action.edit')}
          </Button>
          <Button variant="default" onClick={() => setTesting(true)}>
            {t('campaign.test')}
          </Button>
          <Button component={Anchor} path={stepPath(id, 'check')}>
            {t('campaign.check_and_send')}
          </Button>
        </>
      ) : null}
      {isAllowed('pause', status) ? (
        <Button
          variant="default"
          onClick={() => void act(() => ok(api.POST('/campaigns/pause/{id}', { params })), t('campaign.done.pause'))}
        >
          {t('campaign.pause')}
        </Button>
      ) : null}
      {isAllowed('resume', status) ? (
        <Button
          onClick={() => void act(() => ok(api.POST('/campaigns/resume/{id}', { params })), t('campaign.done.resume'))}
        >
          {t('campaign.resume')}
        </Button>
      ) : null}
      <MoreMenu>
        {isDraft ? (
          <Menu.Item onClick={() => go(stepPath(id, 'when'))}>
            {status === 'scheduled' ? t('campaign.reschedule') : t('campaign.schedule')}
          </Menu.Item>
        ) : null}
        {status === 'scheduled' ? <Menu.Item onClick={unschedule}>{t('campaign.unschedule')}</Menu.Item> : null}
        <Menu.Item onClick={() => void copy()}>{t('campaign.duplicate')}</Menu.Item>
        {campaign.type === 'email' && isAllowed('resend', status) ? (
          <Menu.Item onClick={() => void resend()}>{t('campaign.resend')}</Menu.Item>
        ) : null}
        {counts.failed > 0 && isAllowed('retry', status) ? (
          <Menu.Item
            onClick={() =>
              void act(() => ok(api.POST('/campaigns/retry/{id}', { params, body: {} })), t('campaign.done.retry'))
            }
          >
            {t('campaign.retry', { n: format.number(counts.failed) })}
          </Menu.Item>
        ) : null}
        {isAllowed('cancel', status) && !isDraft ? (
          <Menu.Item color="red" onClick={() => void cancel()}>
            {t('campaign.cancel')}
          </Menu.Item>
        ) : null}
        {isAllowed('delete', status) ? (
          <Menu.Item color="red" onClick={() => void remove()}>
            {t('action.delete')}
          </Menu.Item>
        ) : null}
      </MoreMenu>
      {testing ? <TestDialog campaign={campaign} onClose={() => setTesting(false)} /> : null}
    </>
  );
}
