import { type BodyOf, dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { RecordForm } from '../../ui/RecordForm.tsx';
import { customFieldOf, customGroups, customValues, gathered, type WithCustom } from '../custom-fields/fields.tsx';
import { useCustomFields } from '../custom-fields/queries.ts';
import type { Order } from './queries.ts';

type Changes = BodyOf<'/orders/{id}/status', 'patch'>;

/** The custom fields of an order; nothing in a shop without any. */
export function OrderCustom({ order }: { order: Order }) {
  const { api, can, company } = useShop();
  const { data: fields = [] } = useCustomFields('order');
  if (fields.length === 0) return null;
  const params = { path: { id: order.id } };
  return (
    <RecordForm<WithCustom<Changes>>
      draft={`orders-${order.id}-custom`}
      groups={customGroups<Changes>(fields, company)}
      readOnly={!can('orders:write')}
      initial={customValues(fields, order.custom, company)}
      fieldOf={(root, _values, whole) => customFieldOf(root, whole)}
      save={(body) => dataOf(api.PATCH('/orders/{id}/status', { params, body: gathered<Changes>(body) }))}
      done={{ text: t('form.saved') }}
      submit={t('action.save')}
    />
  );
}
