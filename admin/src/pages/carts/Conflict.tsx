import { Button } from '@mantine/core';
import { t } from '../../i18n/i18n.ts';
import css from './carts.module.css';

/** Says that somebody else has changed what was typed here, and lets the person choose. */
export function Conflict({ onChoose }: { onChoose(mine: boolean): void }) {
  return (
    <div className={`${css.problems} ${css.conflict}`} role="alert">
      <p>{t('cart.conflict')}</p>
      <div className={`${css.choices} row`}>
        <Button size="xs" onClick={() => onChoose(false)}>
          {t('cart.conflict.load')}
        </Button>
        <Button size="xs" variant="default" onClick={() => onChoose(true)}>
          {t('cart.conflict.keep')}
        </Button>
      </div>
    </div>
  );
}
