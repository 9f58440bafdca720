import type { ReactNode } from 'react';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Section } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { STEP_ICONS } from './icons.ts';
import { TRIGGER } from './model/draft.ts';
import css from './Outline.module.css';
import { type Line, outlineOf, summaryOf, triggerSummary } from './outline.ts';
import { type Flow, type StepNumbers as Numbers, useStats } from './queries.ts';
import '../events/words.ts';

interface OutlineProps {
  flow: Flow;
  /** In the builder: the selected step, and how to select another one. Without it, a step is a link. */
  at?: string | undefined;
  onChoose?: ((id: string) => void) | undefined;
}

/** The steps of a flow in the order of a run, each with the number of runs that passed it. */
export function Outline({ flow, at, onChoose }: OutlineProps) {
  const { data } = useStats(flow);
  const numbers = new Map(data?.steps.map((one) => [one.step_id, one]));
  const { lines, loose } = outlineOf(flow);
  const own = (line: Line) => ({ flow, line, numbers: numbers.get(line.step.step_id), at, onChoose });
  return (
    <Section title={t('flow.steps')} flush>
      <ol className={css.outline}>
        <li className={css.line}>
          <span className={css.icon}>
            <Icon name="bolt" size={16} />
          </span>
          <div className={css.what}>
            <Name at={at === TRIGGER} onChoose={onChoose && (() => onChoose(TRIGGER))}>
              <strong>{t('flow.trigger')}</strong>
            </Name>{' '}
            <span className="dim">
              {[tOf('event_type', flow.trigger_type), triggerSummary(flow)].filter(Boolean).join(': ')}
            </span>
          </div>
        </li>
        {lines.map((line, i) => (
          // A step is listed once for each path that leads to it.
          // biome-ignore lint/suspicious/noArrayIndexKey: the outline is made anew as a whole
          <OneLine key={`${line.step.step_id} ${i}`} {...own(line)} />
        ))}
        {loose.map((step) => (
          <OneLine key={step.step_id} {...own({ step, branch: t('flow.loose'), depth: 0, again: false })} />
        ))}
      </ol>
    </Section>
  );
}

function Name(props: { at: boolean; onChoose: (() => void) | undefined; children: ReactNode }) {
  if (props.onChoose === undefined) return props.children;
  return (
    <button type="button" className={css.choose} aria-current={props.at || undefined} onClick={props.onChoose}>
      {props.children}
    </button>
  );
}

function OneLine(props: OutlineProps & { line: Line; numbers: Numbers | undefined }) {
  const { flow, line, numbers, at, onChoose } = props;
  const { can } = useShop();
  const { step, branch, depth, again } = line;
  const name = step.name || tOf('flow.step', step.type);
  const path = `flows/${flow.flow_id}/steps/${encodeURIComponent(step.step_id)}`;
  const summary = summaryOf(step);
  return (
    <li className={css.line} data-depth={Math.min(depth, 6)}>
      <span className={css.icon}>
        <Icon name={STEP_ICONS[step.type]} size={16} />
      </span>
      <div className={css.what}>
        {branch === null ? null : <span className={css.branch}>{branch}</span>}{' '}
        {onChoose !== undefined ? (
          <Name at={at === step.step_id} onChoose={() => onChoose(step.step_id)}>
            {name}
          </Name>
        ) : can('marketing:write') && !again ? (
          <Anchor path={path}>{name}</Anchor>
        ) : (
          <span>{name}</span>
        )}{' '}
        {again ? <span className="dim">{t('flow.again')}</span> : null}
        {summary === '' || again ? null : <div className="dim break">{summary}</div>}
      </div>
      {numbers === undefined || again ? null : <StepNumbers numbers={numbers} />}
    </li>
  );
}

function StepNumbers({ numbers }: { numbers: Numbers }) {
  const format = useFormat();
  const shown = [
    ['flow.entered', numbers.entered],
    ['flow.waiting', numbers.waiting],
    ['campaign.sent', numbers.sent],
    ['campaign.opened', numbers.opened],
    ['campaign.clicked', numbers.clicked],
    ['flow.failed', numbers.failed],
  ] as const;
  const some = shown.filter(([key, n]) => n > 0 || key === 'flow.entered');
  return (
    <dl className={css.numbers}>
      {some.map(([key, n]) => (
        <div key={key} data-bad={key === 'flow.failed' || undefined}>
          <dt>{t(key)}</dt>
          <dd>{format.number(n)}</dd>
        </div>
      ))}
      {numbers.revenue > 0 ? (
        <div>
          <dt>{t('campaign.revenue')}</dt>
          <dd>{format.money(numbers.revenue)}</dd>
        </div>
      ) : null}
      {numbers.refunded === 0 ? null : (
        <div>
          <dt>{t('campaign.net')}</dt>
          <dd>{format.money(numbers.net)}</dd>
        </div>
      )}
    </dl>
  );
}
