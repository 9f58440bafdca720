import { t, tOf } from '../../../i18n/i18n.ts';
import { stepOf } from '../model/draft.ts';
import { FORMS, type StepField } from '../steps/forms.ts';
import css from './Builder.module.css';
import { useBuilderContext } from './useBuilder.ts';

/** The server's errors, or its warnings once the flow is active, each with a link to its step. */
export function ProblemList() {
  const { draft, warnings, goTo, ...builder } = useBuilderContext();
  const problems = builder.problems.length > 0 ? builder.problems : warnings;
  if (problems.length === 0) return null;
  const nameOf = (id: string): string => {
    const step = stepOf(draft, id);
    return step === undefined ? t('flow.trigger') : step.name || tOf('flow.step', step.type);
  };
  /** The panel's label of the field; undefined where it has none, or shows several. */
  const fieldOf = (id: string, path: string): string | undefined => {
    const step = stepOf(draft, id);
    const [part, name] = path.split('.');
    if (step === undefined || part !== 'config') return undefined;
    const field = (FORMS[step.type] as readonly StepField[]).find((one) => one.name === name);
    return field === undefined ? undefined : t(field.label);
  };
  const labelled = (field: string | undefined, message: string): string =>
    field === undefined ? message : t('builder.problem', { field, message });
  const title = problems === warnings ? t('check.warnings') : t('builder.problems', { n: problems.length });
  return (
    <section className={css.problems} aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {problems.map(({ id, path, message }) => (
          <li key={`${id} ${path} ${message}`} className="break">
            <button type="button" onClick={() => goTo(id)}>
              {nameOf(id)}
            </button>{' '}
            {labelled(fieldOf(id, path), message)}
          </li>
        ))}
      </ul>
    </section>
  );
}
