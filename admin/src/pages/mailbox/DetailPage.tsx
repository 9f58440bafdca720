import { useId } from '../../app/nav.ts';
import { t, tOf } from '../../i18n/i18n.ts';
import { DetailColumns, Facts, Loaded, Section } from '../../ui/DetailPage.tsx';
import { Moment } from '../../ui/format.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Content } from './Content.tsx';
import { type Message, titleOf, useMessage } from './queries.ts';

export function DetailPage() {
  return <Loaded query={useMessage(useId())}>{(message) => <MessagePage message={message} />}</Loaded>;
}

function MessagePage({ message }: { message: Message }) {
  const { from, to, channel, preview_text, created_at, message_id } = message;
  return (
    <>
      <PageHeader title={titleOf(message)} back={{ path: 'mailbox', text: t('nav.mailbox') }} />
      <DetailColumns
        side={
          <Section title={t('section.details')}>
            <Facts
              facts={[
                [t('mailbox.from'), from],
                [t('mailbox.to'), to],
                [t('mailbox.channel'), tOf('channel', channel)],
                [t('mailbox.arrived'), <Moment key="arrived" at={created_at} />],
                [t('mailbox.preview'), preview_text],
                [t('mailbox.message_id'), message_id],
              ]}
            />
          </Section>
        }
      >
        <Content message={message} />
      </DetailColumns>
    </>
  );
}
