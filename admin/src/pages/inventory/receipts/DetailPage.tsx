import '../../products/texts.ts';
import { useId } from '../../../app/nav.ts';
import { t } from '../../../i18n/i18n.ts';
import { actorText } from '../../../ui/actor.ts';
import { DetailColumns, Facts, Loaded, Section } from '../../../ui/DetailPage.tsx';
import { Moment, useFormat } from '../../../ui/format.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { LinesTable } from '../lines/LinesTable.tsx';
import { useLocationName } from '../transfers/queries.ts';
import { LIST, type Receipt, useReceipt } from './queries.ts';

export function DetailPage() {
  return <Loaded query={useReceipt(useId())}>{(receipt) => <ReceiptPage receipt={receipt} />}</Loaded>;
}

function ReceiptPage({ receipt }: { receipt: Receipt }) {
  const format = useFormat();
  const nameOf = useLocationName();
  return (
    <>
      <PageHeader title={t('receipt.title', { id: receipt.id })} back={{ path: LIST, text: t('receipts.title') }} />
      <DetailColumns
        side={
          <Section title={t('section.details')}>
            <Facts
              facts={[
                [t('inventory.location'), nameOf(receipt.location_id)],
                [t('receipt.supplier'), receipt.supplier],
                [t('receipt.reference'), receipt.reference],
                [t('field.who'), actorText(receipt.actor, null)],
                [t('field.created'), <Moment key="created" at={receipt.created_at} />],
              ]}
            />
          </Section>
        }
      >
        <LinesTable
          lines={receipt.lines}
          columns={[
            { title: t('transfer.qty'), right: true, cell: ({ qty }) => format.number(qty) },
            {
              title: t('receipt.unit_cost'),
              right: true,
              cell: ({ unit_cost }) => (unit_cost === null ? '–' : format.money(unit_cost)),
            },
          ]}
        />
      </DetailColumns>
    </>
  );
}
