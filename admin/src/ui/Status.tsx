import { tOf } from '../i18n/i18n.ts';
import css from './Status.module.css';

const TONES: Record<string, string> = {
  pending: 'amber',
  processing: 'blue',
  shipped: 'blue',
  delivered: 'green',
  cancelled: 'gray',
  active: 'green',
  inactive: 'gray',
  paused: 'amber',
  past_due: 'red',
  expired: 'gray',
  failed: 'red',
  archived: 'gray',
};

/** A state as a coloured word. */
export function Status({ value }: { value: string }) {
  return (
    <span className={css.status} data-tone={TONES[value] ?? 'gray'}>
      {tOf('status', value)}
    </span>
  );
}
