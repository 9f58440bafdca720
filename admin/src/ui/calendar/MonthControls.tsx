import { Button } from '@mantine/core';
import { language, t } from '../../i18n/i18n.ts';
import { Icon } from '../Icon.tsx';
import css from './Month.module.css';
import { type Month, nextMonth } from './month.ts';

interface MonthControlsProps {
  month: Month;
  /** `2026-03`: the first month that can be shown. */
  earliest?: string;
  onShow(name: string): void;
}

/** The month's name, with buttons for the previous and the next. */
export function MonthControls({ month, earliest, onShow }: MonthControlsProps) {
  const name = new Intl.DateTimeFormat(language(), { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return (
    <div className={`${css.controls} no-print`}>
      <Button
        variant="default"
        size="xs"
        px={8}
        aria-label={t('calendar.previous')}
        disabled={earliest !== undefined && month.name <= earliest}
        onClick={() => onShow(nextMonth(month.name, -1))}
      >
        <Icon name="chevron-left" size={16} />
      </Button>
      <h2 aria-live="polite">{name.format(new Date(month.first))}</h2>
      <Button
        variant="default"
        size="xs"
        px={8}
        aria-label={t('calendar.next')}
        onClick={() => onShow(nextMonth(month.name, 1))}
      >
        <Icon name="chevron-right" size={16} />
      </Button>
    </div>
  );
}
