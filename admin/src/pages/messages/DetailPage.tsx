import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ok, type ResponseOf } from '../../api/client.ts';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { DetailColumns, Facts, Loaded, Section } from '../../ui/DetailPage.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';
import { Reason } from '../../ui/words/Reason.tsx';
import { Content } from '../mailbox/Content.tsx';
import { useCaught, useMessage } from './queries.ts';

type Message = ResponseOf<'/messages/{id}'>;

export function DetailPage() {
  return <Loaded query={useMessage(useId())}>{(message) => <MessagePage message={message} />}</Loaded>;
}

/** One message: its result, and its content if the built-in mailbox has it. */
function MessagePage({ message }: { message: Message }) {
  const { can } = useShop();
  const caught = useCaught(message.message_id);
  return (
    <>
      <PageHeader
        title={caught.data?.subject || t('message.title', { id: message.message_id })}
        badge={<Status value={message.status} />}
      >
        {can('marketing:write') ? <Actions message={message} /> : null}
      </PageHeader>
      <DetailColumns side={<Side message={message} />}>
        {caught.data === undefined ? null : caught.data === null ? (
          <Section title={t('message.content')}>
            <p className="dim">{t('message.not_kept')}</p>
          </Section>
        ) : (
          <Content message={caught.data} />
        )}
      </DetailColumns>
    </>
  );
}

function Side({ message }: { message: Message }) {
  const format = useFormat();
  return (
    <Section title={t('section.details')}>
      <Facts
        facts={[
          [t('message.to'), message.recipient],
          [t('message.channel'), tOf('channel', message.channel)],
          [t('message.sent_by'), tOf('message.origin', message.origin)],
          [t('field.reason'), message.reason === null ? null : <Reason key="reason" value={message.reason} />],
          [t('message.reply'), message.reply],
          [t('message.attempts'), format.number(message.attempts)],
          [t('field.created'), <Moment key="created" at={message.created_at} />],
          message.handed_over_at === null
            ? null
            : [t('message.handed_over'), <Moment key="handed" at={message.handed_over_at} />],
        ]}
      />
    </Section>
  );
}

function Actions({ message }: { message: Message }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const params = { path: { id: message.message_id } };
  const act = useWrite({
    mutationFn: (action: 'retry' | 'mark-sent') =>
      ok(
        action === 'retry'
          ? api.POST('/messages/retry/{id}', { params })
          : api.POST('/messages/mark-sent/{id}', { params }),
      ),
    onSuccess: () => {
      say(t('form.saved'));
      return client.invalidateQueries({ queryKey: [company.id] });
    },
    onError: sayError,
  });
  const { status } = message;
  return (
    <>
      {status === 'unknown' ? (
        <Button variant="default" loading={act.isPending} onClick={() => act.mutate('mark-sent')}>
          {t('message.mark_sent')}
        </Button>
      ) : null}
      {status === 'unknown' || status === 'failed' ? (
        <Button loading={act.isPending} onClick={() => act.mutate('retry')}>
          {t('message.retry')}
        </Button>
      ) : null}
    </>
  );
}
