import { Handle, type Node, type NodeProps, Position, useUpdateNodeInternals } from '@xyflow/react';
import { memo, useEffect, useRef } from 'react';
import { t, tOf } from '../../../i18n/i18n.ts';
import { useFormat } from '../../../ui/format.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { STEP_ICONS } from '../icons.ts';
import { type Step, TRIGGER } from '../model/draft.ts';
import { kindOf } from '../model/new-step.ts';
import { summaryOf } from '../outline.ts';
import type { StepNumbers } from '../queries.ts';
import css from './Canvas.module.css';

/** What a node shows. `step` is null for the trigger. */
export interface NodeData extends Record<string, unknown> {
  step: Step | null;
  trigger: string;
  ways: readonly string[];
  /** Branches that lead nowhere. */
  open: readonly string[];
  isAt: boolean;
  problem: string | undefined;
  numbers: StepNumbers | undefined;
  /** Highlighted on the path of a test run, or as the difference in a comparison. */
  mark: 'passed' | 'now' | 'added' | 'removed' | 'changed' | undefined;
  editable: boolean;
}
export type FlowNode = Node<NodeData, 'step'>;

const METRICS = ['waiting', 'passed', 'sent', 'converted'] as const;

/** One step on the canvas. A button takes the focus, so that screen readers announce the step and not its drawing. */
export const StepNode = memo(function StepNode({ id, data, selected }: NodeProps<FlowNode>) {
  const { step, ways, open, problem, numbers, mark, editable } = data;
  const update = useUpdateNodeInternals();
  const handles = ways.join(' ');
  const measured = useRef(handles);
  // The canvas itself measures the handles of a new step.
  useEffect(() => {
    if (measured.current === handles) return;
    measured.current = handles;
    update(id);
  }, [id, handles, update]);
  const type = step === null ? t('flow.trigger') : tOf('flow.step', step.type);
  const name = step === null ? t('flow.trigger') : step.name || type;
  const summary = step === null ? data.trigger : summaryOf(step);
  return (
    <div
      className={css.node}
      data-kind={step === null ? TRIGGER : kindOf(step.type)}
      data-selected={selected || undefined}
      data-bad={problem !== undefined || undefined}
      data-mark={mark}
    >
      {step === null ? null : <Handle type="target" position={Position.Top} isConnectable={editable} />}
      <button
        type="button"
        className={css.face}
        data-step={id}
        tabIndex={data.isAt ? 0 : -1}
        aria-pressed={selected}
        title={problem}
      >
        <span className={css.icon}>
          <Icon name={step === null ? 'bolt' : STEP_ICONS[step.type]} size={16} />
        </span>
        <span className={css.text}>
          <span className={css.name}>{name}</span>
          <span className="visually-hidden">{name === type || summary === '' ? ', ' : `, ${type}, `}</span>
          <span className={css.summary}>{summary || (name === type ? '' : type)}</span>
        </span>
        {problem === undefined ? null : (
          <span className={css.problem}>
            <Icon name="alert-triangle" size={16} />
            <span className="visually-hidden">, {problem}</span>
          </span>
        )}
        {step?.comment ? <span className={css.comment} title={step.comment} /> : null}
      </button>
      {numbers === undefined ? null : <NodeNumbers numbers={numbers} />}
      {ways.map((branch, i) => (
        <Handle
          key={branch}
          id={branch}
          type="source"
          position={Position.Bottom}
          isConnectable={editable}
          data-open={open.includes(branch) || undefined}
          style={{ left: `${((i + 0.5) / ways.length) * 100}%` }}
        >
          {ways.length === 1 ? null : (
            <span className={css.way} title={branch}>
              {branch}
            </span>
          )}
        </Handle>
      ))}
    </div>
  );
});

function NodeNumbers({ numbers }: { numbers: StepNumbers }) {
  const format = useFormat();
  const shown = METRICS.filter((metric) => numbers[metric] > 0);
  if (shown.length === 0 && numbers.revenue === 0) return null;
  return (
    <div className={css.numbers}>
      {shown.map((metric) => (
        <span key={metric} data-metric={metric}>
          <b>{format.number(numbers[metric])}</b> {tOf('builder.metric', metric)}
        </span>
      ))}
      {numbers.revenue > 0 ? <b>{format.money(numbers.revenue)}</b> : null}
      {numbers.refunded === 0 ? null : (
        <span>
          <b>{format.money(numbers.net)}</b> {tOf('builder.metric', 'net')}
        </span>
      )}
    </div>
  );
}
