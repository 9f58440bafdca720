import { t } from '../../i18n/i18n.ts';
import type { Field } from './values.ts';

/** The fields of an address to which is shipped. */
export const shippingFields = ({ help }: { help?: string } = {}) =>
  [
    { name: 'shipping_address', label: t('field.address'), type: 'text', ...(help === undefined ? {} : { help }) },
    { name: 'shipping_zip', label: t('field.zip'), type: 'text', half: true },
    { name: 'shipping_city', label: t('field.city'), type: 'text', half: true },
    {
      name: 'shipping_state',
      label: t('field.state'),
      type: 'pick',
      places: 'state',
      half: true,
      statesOf: 'shipping_country',
    },
    { name: 'shipping_country', label: t('field.country'), type: 'pick', places: 'country', half: true },
  ] as const satisfies Field[];
