import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { ok } from '../../api/client.ts';
import { useGo } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { MoreMenu } from '../../ui/actions/MoreMenu.tsx';
import { useAct } from '../../ui/actions/useAct.ts';
import { ask } from '../../ui/Dialogs.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { localMoment } from '../../ui/form/moments.ts';
import { dateOf, useFormat } from '../../ui/format.tsx';
import type { Campaign } from './queries.ts';

/** What can be done with a campaign in its status. */
export function Actions({ campaign }: { campaign: Campaign }) {
  const { api, company } = useShop();
  const go = useGo();
  const format = useFormat();
  const act = useAct();
  const [dialog, setDialog] = useState<'test' | 'schedule' | null>(null);
  const { campaign_id: id, name, status, counts } = campaign;
  const params = { path: { id } };
  const isDraft = status === 'draft' || status === 'scheduled';
  const sendNow = async (): Promise<void> => {
    const text = campaign.recipients_exact
      ? t('campaign.send.text', { n: format.number(campaign.recipients) })
      : t('campaign.send.uncounted');
    if (!(await ask({ title: t('campaign.send.title', { name }), text, action: t('campaign.send') }))) return;
    await act(() => ok(api.POST('/campaigns/send/{id}', { params, body: {} })), t('campaign.done.send'));
  };
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
  return (
    <>
      {isDraft ? (
        <>
          <Button component={Anchor} path={`campaigns/${id}/edit`} variant="default">
            {t('action.edit')}
          </Button>
          <Button variant="default" onClick={() => setDialog('test')}>
            {t('campaign.test')}
          </Button>
          {campaign.send_in_contact_time_zone ? (
            <Button onClick={() => setDialog('schedule')}>
              {status === 'scheduled' ? t('campaign.reschedule') : t('campaign.schedule')}
            </Button>
          ) : (
            <Button onClick={() => void sendNow()}>{t('campaign.send')}</Button>
          )}
        </>
      ) : null}
      {status === 'sending' || status === 'scheduled' ? (
        <Button
          variant="default"
          onClick={() => void act(() => ok(api.POST('/campaigns/pause/{id}', { params })), t('campaign.done.pause'))}
        >
          {t('campaign.pause')}
        </Button>
      ) : null}
      {status === 'paused' ? (
        <Button
          onClick={() => void act(() => ok(api.POST('/campaigns/resume/{id}', { params })), t('campaign.done.resume'))}
        >
          {t('campaign.resume')}
        </Button>
      ) : null}
      <MoreMenu>
        {isDraft && !campaign.send_in_contact_time_zone ? (
          <Menu.Item onClick={() => setDialog('schedule')}>
            {status === 'scheduled' ? t('campaign.reschedule') : t('campaign.schedule')}
          </Menu.Item>
        ) : null}
        {status === 'scheduled' ? <Menu.Item onClick={unschedule}>{t('campaign.unschedule')}</Menu.Item> : null}
        <Menu.Item onClick={() => void copy()}>{t('campaign.duplicate')}</Menu.Item>
        {counts.failed > 0 && !isDraft ? (
          <Menu.Item
            onClick={() =>
              void act(() => ok(api.POST('/campaigns/retry/{id}', { params, body: {} })), t('campaign.done.retry'))
            }
          >
            {t('campaign.retry', { n: format.number(counts.failed) })}
          </Menu.Item>
        ) : null}
        {status === 'sending' || status === 'paused' ? (
          <Menu.Item color="red" onClick={() => void cancel()}>
            {t('campaign.cancel')}
          </Menu.Item>
        ) : null}
        {status === 'sending' ? null : (
          <Menu.Item color="red" onClick={() => void remove()}>
            {t('action.delete')}
          </Menu.Item>
        )}
      </MoreMenu>
      {dialog === 'test' ? (
        <FormDialog
          title={t('campaign.test')}
          fields={[
            {
              name: 'recipients',
              label: t('campaign.test.to'),
              type: 'words',
              required: true,
              help: t('campaign.test.help'),
            },
          ]}
          submit={t('campaign.test.submit')}
          save={(body) => ok(api.POST('/campaigns/test/{id}', { params, body: body as never }))}
          done={t('campaign.test.done')}
          onClose={() => setDialog(null)}
        />
      ) : null}
      {dialog === 'schedule' ? (
        <FormDialog
          title={t('campaign.schedule')}
          fields={[
            {
              ...{ name: 'scheduled_at', label: t('campaign.scheduled_at'), type: 'moment', required: true },
              ...(campaign.send_in_contact_time_zone ? { help: t('campaign.zones.ahead') } : {}),
            },
          ]}
          initial={{
            scheduled_at: localMoment(
              (campaign.scheduled_at === null ? new Date() : dateOf(campaign.scheduled_at)).toISOString(),
              company.time_zone,
            ),
          }}
          submit={t('campaign.schedule')}
          save={(body) => ok(api.POST('/campaigns/send/{id}', { params, body: body as never }))}
          done={t('campaign.scheduled')}
          onClose={() => setDialog(null)}
        />
      ) : null}
    </>
  );
}
