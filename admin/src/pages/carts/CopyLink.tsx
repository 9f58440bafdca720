import { ActionIcon } from '@mantine/core';
import { t } from '../../i18n/i18n.ts';
import { copyText } from '../../ui/clipboard.ts';
import { Icon } from '../../ui/Icon.tsx';
import type { Cart } from './queries.ts';

/** Copies the link by which a buyer gets the products of a cart again. */
export function CopyLink({ cart: { id, recover_url: url } }: { cart: Cart }) {
  if (url === null) return null;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={t('cart.recover.copy', { id })}
      onClick={() => void copyText(url, t('cart.recover.copied'))}
    >
      <Icon name="copy" size={16} />
    </ActionIcon>
  );
}
