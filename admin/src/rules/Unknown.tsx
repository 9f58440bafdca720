import { t } from '../i18n/i18n.ts';
import css from './rules.module.css';

/** A rule that the builder does not know, unchanged. */
export function Unknown({ value }: { value: unknown }) {
  return (
    <div className={css.unknown}>
      <p className="dim">{t('rule.json')}</p>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </div>
  );
}
