import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { missingOf } from '../../../../src/commerce/carts/ready.ts';
import { dataOf } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { copyText } from '../../ui/clipboard.ts';
import { Moment } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import type { Cart } from './queries.ts';

interface PayLinkProps {
  cart: Cart;
  /** Saves what is still being typed, and returns the number of the cart; null where that was refused. */
  cartId(): Promise<number | null>;
}

/** Makes a link to a page where the buyer pays the cart, to be copied or mailed. */
export function PayLink({ cart, cartId }: PayLinkProps) {
  const { api } = useShop();
  const [link, setLink] = useState<{ url: string; expires_at: string } | null>(null);
  const make = useWrite({
    mutationFn: async (send: boolean) => {
      const id = await cartId();
      if (id === null) return null;
      return dataOf(api.POST('/carts/{id}/pay-link', { params: { path: { id } }, body: { send } }));
    },
    onSuccess: (made, send) => {
      if (made === null) return;
      setLink(made);
      if (send) say(t('cart.pay_link.sent'));
    },
    onError: (error) => {
      const missing = missingOf(cart).map((name) => tOf('cart.missing', name));
      if (!(error instanceof ApiError) || error.code !== 'cart_not_ready') sayError(error);
      else say([t('cart.pay_link.missing'), missing.join(', ')].join(' '), true);
    },
  });
  return (
    <>
      <Button fullWidth variant="default" loading={make.isPending} onClick={() => make.mutate(false)}>
        {t('cart.pay_link')}
      </Button>
      {link === null ? null : (
        <Modal
          opened
          onClose={() => setLink(null)}
          title={t('cart.pay_link')}
          closeButtonProps={{ 'aria-label': t('action.close') }}
        >
          <div className="stack">
            <p>{t('cart.pay_link.text')}</p>
            <TextInput label={t('cart.pay_link.address')} readOnly value={link.url} />
            <p className="dim">
              {t('cart.pay_link.until')} <Moment at={link.expires_at} />
            </p>
            <div className="row">
              <Button leftSection={<Icon name="copy" size={16} />} onClick={() => void copyText(link.url)}>
                {t('action.copy')}
              </Button>
              <Button variant="default" loading={make.isPending} onClick={() => make.mutate(true)}>
                {t('cart.pay_link.send')}
              </Button>
            </div>
          </div>
        </Modal>
      )}
    </>
  );
}
