import { t, tOf } from '../../../i18n/i18n.ts';
import { Moment } from '../../../ui/format.tsx';
import { useBuilderContext } from '../builder/useBuilder.ts';
import { stepOf } from '../model/draft.ts';
import { momentOf } from './path.ts';
import css from './Trial.module.css';

export interface Result {
  enters: boolean;
  path: { at: string; step_id: string | null; result: string; detail: string | null }[];
  decisions: Decision[];
  status: string;
  reason: string | null;
}
interface Decision {
  at: string;
  step_id: string | null;
  branch: string;
  paths: {
    key: string;
    holds: boolean;
    rules: { field: string; comparison: string; value?: unknown; found: unknown[] | null; holds: boolean }[];
  }[];
}

/** The steps of a test run, line by line; those after the chosen time are dimmed. */
export function TrialPath({ result, by }: { result: Result; by: number }) {
  const { draft, goTo } = useBuilderContext();
  const entry = result.decisions.find(({ step_id }) => step_id === null);
  return (
    <ol className={css.path}>
      {entry === undefined ? null : (
        <li>
          <strong>{t('flow.trigger')}</strong> <span className="dim">{tOf('trial.result', entry.branch)}</span>
          <Why decision={entry} />
        </li>
      )}
      {result.path.map((line, i) => {
        const { at, step_id, result: branch } = line;
        const step = step_id === null ? undefined : stepOf(draft, step_id);
        const why = result.decisions.find(
          (one) => step_id !== null && one.at === at && one.step_id === step_id && one.branch === branch,
        );
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the path is made anew as a whole
          <li key={i} data-later={momentOf(at) > by || undefined}>
            <button type="button" className={css.step} onClick={() => goTo(step_id ?? 'trigger')}>
              {step === undefined ? t('flow.trigger') : step.name || tOf('flow.step', step.type)}
            </button>{' '}
            <span className="dim">
              {tOf('trial.result', branch)} · <Moment at={new Date(momentOf(at)).toISOString()} />
            </span>
            {why === undefined ? null : <Why decision={why} />}
          </li>
        );
      })}
    </ol>
  );
}

/** The values that led to a decision. */
function Why({ decision }: { decision: Decision }) {
  return (
    <dl className={css.why}>
      {decision.paths.map(({ key, holds, rules }) => (
        <div key={key}>
          <dt data-holds={holds || undefined}>
            {key} {holds ? '✓' : '✗'}
          </dt>
          {rules.map((rule, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rules have no name of their own
            <dd key={i} className="break">
              <code>
                {rule.field} {rule.comparison} {rule.value == null ? '' : JSON.stringify(rule.value)}
              </code>{' '}
              {rule.holds ? '✓' : '✗'}{' '}
              {rule.found === null ? null : (
                <span className="dim">
                  {t('trial.found', { values: rule.found.map((one) => JSON.stringify(one)).join(', ') || '–' })}
                </span>
              )}
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}
