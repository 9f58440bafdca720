import { Button, Modal } from '@mantine/core';
import { t } from '../i18n/i18n.ts';
import { copyText } from './clipboard.ts';
import { Icon } from './Icon.tsx';
import css from './Secret.module.css';

/** Shows a secret that is shown only once, with a button to copy it. */
export function SecretDialog(props: { title: string; text: string; secret: string; onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={props.title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <div className="stack">
        <p>{props.text}</p>
        <pre className={css.secret}>{props.secret}</pre>
        <div className="row">
          <Button
            variant="default"
            leftSection={<Icon name="copy" size={16} />}
            onClick={() => void copyText(props.secret)}
          >
            {t('action.copy')}
          </Button>
          <span className="grow" />
          <Button onClick={props.onClose}>{t('action.done')}</Button>
        </div>
      </div>
    </Modal>
  );
}
