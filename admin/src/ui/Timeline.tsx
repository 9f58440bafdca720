import type { ReactNode } from 'react';
import { Moment } from './format.tsx';
import { Icon, type IconName } from './Icon.tsx';
import css from './Timeline.module.css';

export interface TimelineItem {
  key: string;
  at: string;
  icon: IconName;
  what: ReactNode;
  /** Below the entry, as it was written. */
  text?: ReactNode;
  who?: string | null;
}

/** Events, the latest first. */
export function Timeline({ items, label }: { items: TimelineItem[]; label: string }) {
  return (
    <ol className={css.timeline} aria-label={label}>
      {items.map(({ key, at, icon, what, text, who }) => (
        <li key={key} className={css.item}>
          <span className={css.icon}>
            <Icon name={icon} size={15} />
          </span>
          <div className={css.body}>
            <div className={css.what}>{what}</div>
            {text == null || text === '' ? null : <p className={css.text}>{text}</p>}
            <div className={`${css.when} dim`}>
              <Moment at={at} />
              {who == null ? null : ` · ${who}`}
            </div>
          </div>
        </li>
      ))}
    </ol>
  );
}
