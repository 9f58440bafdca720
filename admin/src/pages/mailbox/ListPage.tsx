import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Moment } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { type Entry, loadMailbox, titleOf } from './queries.ts';

const ARRIVALS_MS = 5_000;

/** What the built-in mailbox caught instead of a provider sending it. */
export function ListPage() {
  const { api } = useShop();
  return (
    <List<Entry>
      name="mailbox"
      live="mailbox"
      title={t('nav.mailbox')}
      resource="mailbox"
      load={(query, signal) => loadMailbox(api, query, signal)}
      refreshMs={ARRIVALS_MS}
      idOf={(message) => message.id}
      path={(message) => `mailbox/${message.id}`}
      search={{ key: 'to', placeholder: t('mailbox.search') }}
      columns={[
        { key: 'subject', title: t('mailbox.subject'), cell: titleOf, csv: titleOf },
        { key: 'to', title: t('mailbox.to'), cell: (message) => message.to, csv: (message) => message.to },
        {
          key: 'channel',
          title: t('mailbox.channel'),
          cell: (message) => tOf('channel', message.channel),
          csv: (message) => message.channel,
        },
        {
          key: 'created_at',
          title: t('mailbox.arrived'),
          cell: (message) => <Moment at={message.created_at} />,
          csv: (message) => message.created_at,
        },
        {
          key: 'from',
          title: t('mailbox.from'),
          optional: true,
          cell: (message) => message.from,
          csv: (message) => message.from,
        },
      ]}
      empty={{ icon: 'mailbox', title: t('mailbox.empty'), text: t('mailbox.empty.text') }}
    />
  );
}
