import { t } from '../../i18n/i18n.ts';
import css from './Changes.module.css';

type Values = Record<string, unknown>;

/** What an action changed, field by field: the value before, struck out, and the one after. */
export function Changes({ before, after }: { before: Values | null; after: Values }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before?.[name]) !== JSON.stringify(after[name]),
  );
  return (
    <dl className={css.changes}>
      {names.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {before?.[name] === undefined ? null : (
              <>
                <del>{textOf(before[name])}</del>{' '}
              </>
            )}
            {after[name] === undefined ? null : <span>{textOf(after[name])}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function textOf(value: unknown): string {
  if (isCut(value)) return t('audit.cut', { text: value.cut, length: value.length });
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Whether a value was too long for the log. */
function isCut(value: unknown): value is { cut: string; length: number } {
  return typeof value === 'object' && value !== null && 'cut' in value && 'length' in value;
}
