import '../../products/texts.ts';
import { useQuery } from '@tanstack/react-query';
import { type Api, type BodyOf, dataOf } from '../../../api/client.ts';
import { useGo, useId } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Loaded } from '../../../ui/DetailPage.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../../ui/RecordForm.tsx';
import { Empty } from '../../../ui/states.tsx';
import { type Line, LinesField, linesOf, NO_LINES, textOfLines } from '../lines/LinesField.tsx';
import { type Location, useLocations } from '../locations/queries.ts';
import { LIST, type Transfer } from './queries.ts';

type TransferBody = BodyOf<'/inventory/transfers', 'post'>;

const numeric = (value: string | boolean): number => Number(value);

function groupsOf(locations: readonly Location[]): FieldGroup<TransferBody>[] {
  const choices = locations.filter(({ active }) => active).map(({ id, name }) => ({ value: String(id), label: name }));
  return [
    {
      title: t('section.details'),
      fields: [
        {
          name: 'from_location_id',
          label: t('transfer.from'),
          type: 'choice',
          required: true,
          half: true,
          choices,
          bodyOf: numeric,
        },
        {
          name: 'to_location_id',
          label: t('transfer.to'),
          type: 'choice',
          required: true,
          half: true,
          choices,
          bodyOf: numeric,
        },
        { name: 'note', label: t('transfer.note'), type: 'text' },
      ],
    },
    {
      title: t('nav.products'),
      fields: [
        {
          name: 'lines',
          label: t('nav.products'),
          type: 'custom',
          custom: { Input: LinesField, bodyOf: linesOf },
        },
      ],
    },
  ];
}

export function CreatePage() {
  return <Loaded query={useLocations()}>{(locations) => <Create locations={locations} />}</Loaded>;
}

function Create({ locations }: { locations: Location[] }) {
  const { api } = useShop();
  const go = useGo();
  const [first, second] = locations.filter(({ active }) => active);
  const header = <PageHeader title={t('transfer.new')} back={{ path: LIST, text: t('transfers.title') }} />;
  if (first === undefined || second === undefined) {
    return (
      <>
        {header}
        <Empty icon="package" title={t('transfer.one_location')} text={t('transfer.one_location.text')} />
      </>
    );
  }
  return (
    <>
      {header}
      <RecordForm<TransferBody>
        draft="transfers-new"
        groups={groupsOf(locations)}
        initial={{
          from_location_id: String(first.id),
          to_location_id: String(second.id),
          note: '',
          lines: NO_LINES,
        }}
        whole
        save={async (body) => {
          const { id } = await dataOf(api.POST('/inventory/transfers', { body }));
          return () => go(`${LIST}/${id}`, { replace: true });
        }}
        done={{ text: t('form.created') }}
        cancel={LIST}
        submit={t('action.create')}
      />
    </>
  );
}

/** A draft with the names of its products. */
async function loadDraft(api: Api, id: number, signal: AbortSignal): Promise<{ transfer: Transfer; lines: Line[] }> {
  const transfer = await dataOf(api.GET('/inventory/transfers/{id}', { params: { path: { id } }, signal }));
  const lines: Line[] = [];
  for (const { product_id, qty } of transfer.lines) {
    const params = { path: { id: String(product_id) } };
    const { name } = await dataOf(api.GET('/products/{id}', { params, signal }));
    lines.push({ product_id, name, qty: String(qty) });
  }
  return { transfer, lines };
}

export function EditPage() {
  const { api, company } = useShop();
  const id = useId();
  const locations = useLocations();
  const draft = useQuery({
    queryKey: [company.id, 'transfers', id, 'draft'],
    queryFn: ({ signal }) => loadDraft(api, id, signal),
  });
  return (
    <Loaded query={locations}>
      {(all) => <Loaded query={draft}>{(loaded) => <Edit {...loaded} locations={all} />}</Loaded>}
    </Loaded>
  );
}

function Edit({ transfer, lines, locations }: { transfer: Transfer; lines: Line[]; locations: Location[] }) {
  const { api, can } = useShop();
  const { id, from_location_id: from, to_location_id: to, note, status } = transfer;
  const path = `${LIST}/${id}`;
  const params = { path: { id } };
  return (
    <>
      <PageHeader title={t('transfer.title', { id })} back={{ path, text: t('transfer.title', { id }) }} />
      <RecordForm<TransferBody>
        draft={`transfers-${id}`}
        groups={groupsOf(locations)}
        readOnly={!can('inventory:write') || status !== 'draft'}
        initial={{
          from_location_id: String(from),
          to_location_id: String(to),
          note: note ?? '',
          lines: textOfLines(lines),
        }}
        save={(body) => dataOf(api.PATCH('/inventory/transfers/{id}', { params, body }))}
        done={{ path, text: t('form.saved') }}
        cancel={path}
        submit={t('action.save')}
      />
    </>
  );
}
