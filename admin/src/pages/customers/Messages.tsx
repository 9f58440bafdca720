import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Status } from '../../ui/Status.tsx';
import { Reason } from '../../ui/words/Reason.tsx';

const PER_PAGE = 5;

/** What was sent to the customer, and the results. */
export function Messages({ id }: { id: number }) {
  const { api, company } = useShop();
  const format = useFormat();
  const [page, setPage] = useState(1);
  const query = useQuery({
    queryKey: [company.id, 'customers', id, 'messages', page],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      ok(
        api.GET('/customers/{id}/messages', { params: { path: { id }, query: { page, per_page: PER_PAGE } }, signal }),
      ),
  });
  const { data } = query;
  const total = data?.pagination.total ?? 0;
  return (
    <Section
      title={data === undefined ? t('customer.messages') : t('customer.messages.n', { n: format.number(total) })}
      actions={<Pager page={page} perPage={PER_PAGE} total={total} onChange={setPage} />}
      flush
    >
      <SmallTable
        caption={t('customer.messages')}
        query={query}
        rows={data?.messages}
        keyOf={(message) => message.message_id}
        empty={t('customer.no_messages')}
        columns={[
          {
            title: t('message.what'),
            cell: (message) => (
              <>
                <Anchor path={`messages/${message.message_id}`}>
                  {message.title ?? t('message.title', { id: message.message_id })}
                </Anchor>
                <br />
                <span className="dim">
                  {tOf('channel', message.channel)} · {tOf('message.origin', message.origin)}
                </span>
              </>
            ),
          },
          { title: t('field.when'), cell: (message) => <Moment at={message.at} /> },
          {
            title: t('field.status'),
            cell: (message) => (
              <>
                <Status value={message.status} />
                {message.reason === null ? null : (
                  <span className="dim">
                    {' '}
                    <Reason value={message.reason} />
                  </span>
                )}
              </>
            ),
          },
        ]}
      />
    </Section>
  );
}
