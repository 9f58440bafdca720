import { Kbd, Modal } from '@mantine/core';
import { t } from '../i18n/i18n.ts';
import type { Place } from '../pages/pages.ts';
import css from './KeyboardMap.module.css';

export function KeyboardMap(props: { opened: boolean; places: readonly Place[]; onClose: () => void }) {
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={t('keyboard.title')}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <dl className={css.keys}>
        <Key keys={['Ctrl', 'K']} text={t('palette.open')} />
        <Key keys={['/']} text={t('keyboard.search')} />
        <Key keys={['?']} text={t('keyboard.title')} />
        <Key keys={['Esc']} text={t('action.close')} />
        {props.places.map(({ path, key, text }) =>
          key === null ? null : <Key key={path} keys={['g', key]} text={t(text)} />,
        )}
      </dl>
    </Modal>
  );
}

function Key({ keys, text }: { keys: string[]; text: string }) {
  return (
    <div>
      <dt>{text}</dt>
      <dd>
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </dd>
    </div>
  );
}
