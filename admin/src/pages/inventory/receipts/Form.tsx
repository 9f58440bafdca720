import '../../products/texts.ts';
import { type BodyOf, dataOf } from '../../../api/client.ts';
import { useGo } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Loaded } from '../../../ui/DetailPage.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../../ui/RecordForm.tsx';
import { CostLinesField, linesOf, NO_LINES } from '../lines/LinesField.tsx';
import { type Location, useLocations } from '../locations/queries.ts';
import { LIST } from './queries.ts';

type ReceiptBody = BodyOf<'/inventory/receipts', 'post'>;

const groupsOf = (locations: readonly Location[]): FieldGroup<ReceiptBody>[] => [
  {
    title: t('section.details'),
    fields: [
      {
        name: 'location_id',
        label: t('inventory.location'),
        type: 'choice',
        required: true,
        choices: locations.map(({ id, name }) => ({ value: String(id), label: name })),
        bodyOf: Number,
      },
      { name: 'supplier', label: t('receipt.supplier'), type: 'text', half: true },
      {
        name: 'reference',
        label: t('receipt.reference'),
        type: 'text',
        half: true,
        help: t('receipt.reference.help'),
      },
    ],
  },
  {
    title: t('nav.products'),
    fields: [
      {
        name: 'lines',
        label: t('nav.products'),
        type: 'custom',
        custom: { Input: CostLinesField, bodyOf: linesOf },
      },
    ],
  },
];

export function CreatePage() {
  return <Loaded query={useLocations()}>{(locations) => <Create locations={locations} />}</Loaded>;
}

function Create({ locations: all }: { locations: Location[] }) {
  const { api } = useShop();
  const go = useGo();
  const locations = all.filter(({ active }) => active);
  return (
    <>
      <PageHeader title={t('receipt.new')} back={{ path: LIST, text: t('receipts.title') }} />
      <RecordForm<ReceiptBody>
        draft="receipts-new"
        groups={groupsOf(locations)}
        initial={{ location_id: String(locations[0]?.id ?? ''), supplier: '', reference: '', lines: NO_LINES }}
        whole
        save={async (body) => {
          const { id } = await dataOf(api.POST('/inventory/receipts', { body }));
          return () => go(`${LIST}/${id}`, { replace: true });
        }}
        done={{ text: t('form.created') }}
        cancel={LIST}
        submit={t('action.create')}
      />
    </>
  );
}
