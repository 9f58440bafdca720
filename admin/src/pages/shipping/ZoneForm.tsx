import { type BodyOf, dataOf } from '../../api/client.ts';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { DeleteButton } from '../../ui/DeleteButton.tsx';
import { Loaded } from '../../ui/DetailPage.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { useZone, type Zone } from './queries.ts';

const groups = (): FieldGroup<BodyOf<'/shipping-zones', 'post'>>[] => [
  {
    title: t('zone.title'),
    fields: [
      { name: 'name', label: t('field.name'), type: 'text', required: true },
      {
        name: 'countries',
        label: t('zone.countries'),
        type: 'picks',
        places: 'country',
        help: t('zone.countries.help'),
      },
      { name: 'states', label: t('zone.states'), type: 'picks', places: 'state', statesOf: 'countries' },
      { name: 'zip_patterns', label: t('zone.zips'), type: 'words', help: t('zone.zips.help') },
      { name: 'position', label: t('field.position'), type: 'number', help: t('zone.position.help') },
    ],
  },
];

export function CreatePage() {
  const { api } = useShop();
  return (
    <>
      <PageHeader title={t('zone.new')} back={{ path: 'shipping', text: t('nav.shipping') }} />
      <RecordForm
        draft="zones-new"
        groups={groups()}
        initial={{ name: '', countries: '', states: '', zip_patterns: '', position: '' }}
        whole
        save={(body) => dataOf(api.POST('/shipping-zones', { body }))}
        done={{ path: 'shipping', text: t('form.created') }}
        cancel="shipping"
        submit={t('action.create')}
      />
    </>
  );
}

export function EditPage() {
  return <Loaded query={useZone(useId())}>{(zone) => <Edit zone={zone} />}</Loaded>;
}

function Edit({ zone }: { zone: Zone }) {
  const { api, can } = useShop();
  const params = { path: { id: zone.id } };
  const readOnly = !can('settings:write');
  return (
    <>
      <PageHeader title={zone.name} back={{ path: 'shipping', text: t('nav.shipping') }}>
        {readOnly ? null : (
          <DeleteButton
            name={zone.name}
            text={t('zone.delete.text')}
            list="shipping"
            remove={() => dataOf(api.DELETE('/shipping-zones/{id}', { params }))}
          />
        )}
      </PageHeader>
      <RecordForm
        draft={`zones-${zone.id}`}
        groups={groups()}
        readOnly={readOnly}
        initial={{
          name: zone.name,
          countries: zone.countries.join(', '),
          states: zone.states.join(', '),
          zip_patterns: zone.zip_patterns.join(', '),
          position: String(zone.position),
        }}
        save={(body) => dataOf(api.PATCH('/shipping-zones/{id}', { params, body }))}
        done={{ path: 'shipping', text: t('form.saved') }}
        cancel="shipping"
        submit={t('action.save')}
      />
    </>
  );
}
