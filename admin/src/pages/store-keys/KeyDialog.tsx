import { type BodyOf, type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import type { FieldOf } from '../../ui/form/values.ts';
import { useLocations } from '../inventory/locations/queries.ts';

type Typed = BodyOf<'/store-keys', 'post'>;

/** Creates a store key, or changes its name, its sites and its location. */
export function KeyDialog({ storeKey, onClose }: { storeKey: Model<'StoreKey'> | null; onClose: () => void }) {
  const { api } = useShop();
  const { data: locations = [] } = useLocations();
  const open = locations.filter(({ active, id }) => active || id === storeKey?.location_id);
  const place: FieldOf<Typed> = {
    name: 'location_id',
    label: t('store_key.location'),
    type: 'choice',
    help: t('store_key.location.help'),
    choices: [
      { value: '', label: t('store_key.every_location') },
      ...open.map(({ id, name }) => ({ value: String(id), label: name })),
    ],
    bodyOf: Number,
  };
  const send = ({ name, origins = [], location_id = null }: Typed) => {
    const body = { name, origins, location_id };
    if (storeKey === null) return ok(api.POST('/store-keys', { body }));
    return ok(api.PATCH('/store-keys/{id}', { params: { path: { id: storeKey.id } }, body }));
  };
  return (
    <FormDialog<Typed>
      title={storeKey === null ? t('store_key.new') : t('store_key.edit', { name: storeKey.name })}
      fields={[
        { name: 'name', label: t('field.name'), type: 'text', required: true, help: t('store_key.name.help') },
        { name: 'origins', label: t('store_key.origins'), type: 'words', help: t('store_key.origins.help') },
        ...(open.length > 1 ? [place] : []),
      ]}
      initial={{
        name: storeKey?.name ?? '',
        origins: storeKey?.origins.join('\n') ?? '',
        location_id: storeKey?.location_id == null ? '' : String(storeKey.location_id),
      }}
      submit={storeKey === null ? t('action.create') : t('action.save')}
      save={send}
      done={storeKey === null ? t('form.created') : t('form.saved')}
      onClose={onClose}
    />
  );
}
