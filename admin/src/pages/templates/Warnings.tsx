import type { Model } from '../../api/client.ts';
import { t, tOf } from '../../i18n/i18n.ts';
import css from './LivePreview.module.css';

type Preview = Model<'Preview'>;
type Finding = Preview['findings'][number];

/** What the writer should look at. */
export function Warnings({ preview }: { preview: Preview }) {
  const { warnings, findings } = preview;
  // After the compiler's warnings, the rest are the findings as sentences in the API's language.
  const compiler = warnings.slice(0, warnings.length - findings.length);
  const notes = [...compiler, ...findings.map(sentenceOf)];
  if (notes.length === 0) return null;
  return (
    <section aria-label={t('preview.warnings')}>
      <ul className={css.warnings}>
        {[...new Set(notes)].map((note) => (
          <li key={note} className="break">
            {note}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A finding in the person's language. */
export function sentenceOf({ code, field, detail, suggestion }: Finding): string {
  const where = tOf('finding.field', field);
  if (code === 'unknown_variable' && suggestion !== null) {
    return t('finding.unknown_variable.near', { where, detail, suggestion });
  }
  if (code === 'button_without_link' && detail === null) return t('finding.button_without_link.unnamed');
  return t(`finding.${code}`, { where, detail });
}
