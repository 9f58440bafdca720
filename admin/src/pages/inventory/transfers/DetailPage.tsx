import '../../products/texts.ts';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { useId } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Anchor } from '../../../ui/Anchor.tsx';
import { useAct } from '../../../ui/actions/useAct.ts';
import { actorText } from '../../../ui/actor.ts';
import { DetailColumns, Facts, Loaded, Section } from '../../../ui/DetailPage.tsx';
import { ask } from '../../../ui/Dialogs.tsx';
import { Moment, useFormat } from '../../../ui/format.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { Status } from '../../../ui/Status.tsx';
import { LinesTable } from '../lines/LinesTable.tsx';
import { LIST, type Transfer, useLocationName, useTransfer } from './queries.ts';
import { ReceiveDialog } from './ReceiveDialog.tsx';

export function DetailPage() {
  return <Loaded query={useTransfer(useId())}>{(transfer) => <TransferPage transfer={transfer} />}</Loaded>;
}

/** Numbers of a line that are shown only where a line has some. */
const OUTCOMES = ['received', 'missing', 'returned'] as const;

function TransferPage({ transfer }: { transfer: Transfer }) {
  const format = useFormat();
  const nameOf = useLocationName();
  const { id, status, lines } = transfer;
  return (
    <>
      <PageHeader
        title={t('transfer.title', { id })}
        back={{ path: LIST, text: t('transfers.title') }}
        badge={<Status value={status} />}
      >
        <Actions transfer={transfer} />
      </PageHeader>
      <DetailColumns
        side={
          <Section title={t('section.details')}>
            <Facts
              facts={[
                [t('transfer.from'), nameOf(transfer.from_location_id)],
                [t('transfer.to'), nameOf(transfer.to_location_id)],
                [t('transfer.note'), transfer.note],
                [t('field.who'), actorText(transfer.actor, null)],
                [t('field.created'), <Moment key="created" at={transfer.created_at} />],
                transfer.sent_at === null ? null : [t('transfer.sent_at'), <Moment key="sent" at={transfer.sent_at} />],
              ]}
            />
          </Section>
        }
      >
        <LinesTable
          lines={lines}
          columns={[
            { title: t('transfer.qty'), right: true, cell: ({ qty }) => format.number(qty) },
            ...OUTCOMES.filter((outcome) => lines.some((line) => line[outcome] > 0)).map((outcome) => ({
              title: t(`transfer.${outcome}`),
              right: true as const,
              cell: (line: Transfer['lines'][number]) => format.number(line[outcome]),
            })),
          ]}
        />
      </DetailColumns>
    </>
  );
}

function Actions({ transfer }: { transfer: Transfer }) {
  const { api, can } = useShop();
  const act = useAct();
  const [receiving, setReceiving] = useState(false);
  const { id, status } = transfer;
  const params = { path: { id } };
  if (!can('inventory:write') || status === 'received' || status === 'cancelled') return null;
  const cancel = async (): Promise<void> => {
    const text = t(status === 'draft' ? 'transfer.cancel.draft' : 'transfer.cancel.sent');
    if (await ask({ title: t('transfer.cancel.title', { id }), text, action: t('transfer.cancel') }))
      await act(() => dataOf(api.POST('/inventory/transfers/{id}/cancel', { params })), t('transfer.cancelled'));
  };
  return (
    <>
      <Button variant="default" onClick={() => void cancel()}>
        {t('transfer.cancel')}
      </Button>
      {status === 'draft' ? (
        <>
          <Button component={Anchor} path={`${LIST}/${id}/edit`} variant="default">
            {t('action.edit')}
          </Button>
          <Button
            onClick={() =>
              void act(() => dataOf(api.POST('/inventory/transfers/{id}/send', { params })), t('transfer.was_sent'))
            }
          >
            {t('transfer.send')}
          </Button>
        </>
      ) : (
        <Button onClick={() => setReceiving(true)}>{t('transfer.receive')}</Button>
      )}
      {receiving ? <ReceiveDialog transfer={transfer} onClose={() => setReceiving(false)} /> : null}
    </>
  );
}
