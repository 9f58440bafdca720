import { t } from '../../i18n/i18n.ts';
import type { Field } from '../../ui/form/values.ts';

export function endpointFields(): Field[] {
  return [
    { name: 'url', label: t('webhooks.url'), type: 'url', required: true, help: t('webhooks.url.help') },
    { name: 'event_types', label: t('webhooks.types'), type: 'words', help: t('webhooks.types.help') },
    { name: 'description', label: t('field.description'), type: 'text' },
  ];
}
