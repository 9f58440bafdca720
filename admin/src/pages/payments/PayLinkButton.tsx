import './texts.ts';
import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { copyText } from '../../ui/clipboard.ts';
import { Moment } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { say, sayError } from '../../ui/messages.tsx';

interface Link {
  url: string;
  expires_at: string;
}

interface PayLinkButtonProps {
  /** Makes a link, which `send` mails to the buyer; null where nothing can be paid yet. */
  make(send: boolean): Promise<Link | null>;
  onError?(error: Error): void;
  disabled?: boolean;
  fullWidth?: boolean;
}

/** Makes a link to a page where the buyer pays, to be copied or mailed. */
export function PayLinkButton({ make, onError = sayError, disabled = false, fullWidth = false }: PayLinkButtonProps) {
  const [link, setLink] = useState<Link | null>(null);
  const write = useWrite({
    mutationFn: make,
    onSuccess: (made, send) => {
      if (made === null) return;
      setLink(made);
      if (send) say(t('pay_link.sent'));
    },
    onError,
  });
  return (
    <>
      <Button
        fullWidth={fullWidth}
        variant="default"
        disabled={disabled}
        loading={write.isPending}
        onClick={() => write.mutate(false)}
      >
        {t('pay_link')}
      </Button>
      {link === null ? null : (
        <Modal
          opened
          onClose={() => setLink(null)}
          title={t('pay_link')}
          closeButtonProps={{ 'aria-label': t('action.close') }}
        >
          <div className="stack">
            <p>{t('pay_link.text')}</p>
            <TextInput label={t('pay_link.address')} readOnly value={link.url} />
            <p className="dim">
              {t('pay_link.until')} <Moment at={link.expires_at} />
            </p>
            <div className="row">
              <Button leftSection={<Icon name="copy" size={16} />} onClick={() => void copyText(link.url)}>
                {t('action.copy')}
              </Button>
              <Button variant="default" loading={write.isPending} onClick={() => write.mutate(true)}>
                {t('pay_link.send')}
              </Button>
            </div>
          </div>
        </Modal>
      )}
    </>
  );
}
