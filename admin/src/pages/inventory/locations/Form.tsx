import '../../products/texts.ts';
import { type BodyOf, dataOf } from '../../../api/client.ts';
import { useId } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Loaded } from '../../../ui/DetailPage.tsx';
import type { Values } from '../../../ui/form/values.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../../ui/RecordForm.tsx';
import { type Location, useLocation } from './queries.ts';

type Fields = BodyOf<'/locations/{id}', 'patch'>;

const LIST = 'inventory/locations';

/** The main location is always online and active. */
const groups = (of: Location | null): FieldGroup<Fields>[] => [
  {
    title: t('section.details'),
    fields: [
      { name: 'name', label: t('field.name'), type: 'text', required: true },
      { name: 'position', label: t('field.position'), type: 'number', help: t('location.position.help') },
      ...(of?.main
        ? []
        : [{ name: 'online', label: t('location.online'), type: 'switch', help: t('location.online.help') } as const]),
      ...(of === null || of.main
        ? []
        : [{ name: 'active', label: t('status.active'), type: 'switch', help: t('location.active.help') } as const]),
    ],
  },
  {
    title: t('field.address'),
    fields: [
      { name: 'address', label: t('field.address'), type: 'text' },
      { name: 'zip', label: t('field.zip'), type: 'text', half: true },
      { name: 'city', label: t('field.city'), type: 'text', half: true },
      { name: 'country', label: t('field.country'), type: 'pick', places: 'country', half: true },
      { name: 'state', label: t('field.state'), type: 'pick', places: 'state', half: true, statesOf: 'country' },
    ],
  },
];

const EMPTY: Values = {
  name: '',
  position: '',
  online: true,
  address: '',
  zip: '',
  city: '',
  country: '',
  state: '',
};

export function CreatePage() {
  const { api } = useShop();
  return (
    <>
      <PageHeader title={t('location.new')} back={{ path: LIST, text: t('locations.title') }} />
      <RecordForm<BodyOf<'/locations', 'post'>>
        draft="locations-new"
        groups={groups(null) as FieldGroup<BodyOf<'/locations', 'post'>>[]}
        initial={EMPTY}
        whole
        save={(body) => dataOf(api.POST('/locations', { body }))}
        done={{ path: LIST, text: t('form.created') }}
        cancel={LIST}
        submit={t('action.create')}
      />
    </>
  );
}

export function EditPage() {
  return <Loaded query={useLocation(useId())}>{(location) => <Edit location={location} />}</Loaded>;
}

function Edit({ location }: { location: Location }) {
  const { api, can } = useShop();
  const params = { path: { id: location.id } };
  return (
    <>
      <PageHeader title={location.name} back={{ path: LIST, text: t('locations.title') }} />
      <RecordForm
        draft={`locations-${location.id}`}
        groups={groups(location)}
        readOnly={!can('inventory:write')}
        initial={{
          name: location.name,
          position: String(location.position),
          ...(location.main ? {} : { online: location.online, active: location.active }),
          address: location.address ?? '',
          zip: location.zip ?? '',
          city: location.city ?? '',
          country: location.country ?? '',
          state: location.state ?? '',
        }}
        save={(body) => dataOf(api.PATCH('/locations/{id}', { params, body }))}
        done={{ path: LIST, text: t('form.saved') }}
        cancel={LIST}
        submit={t('action.save')}
      />
    </>
  );
}
