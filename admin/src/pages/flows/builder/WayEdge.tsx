import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps, getSmoothStepPath } from '@xyflow/react';
import { memo } from 'react';
import { t } from '../../../i18n/i18n.ts';
import { useFormat } from '../../../ui/format.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import css from './Canvas.module.css';

export interface WayData extends Record<string, unknown> {
  branch: string;
  /** How many runs took this branch; undefined where nobody has entered the flow. */
  passed: number | undefined;
  lit: boolean;
  mark: 'added' | 'removed' | undefined;
  /** Inserts a new step in between, or ends the branch. */
  edit: Record<'insert' | 'cut', (from: string, branch: string) => void> | null;
}
export type FlowEdge = Edge<WayData, 'way'>;

/** A connection, with the number of runs that took it and a button that inserts a step. */
export const WayEdge = memo(function WayEdge(props: EdgeProps<FlowEdge>) {
  const { source, data, selected } = props;
  const format = useFormat();
  const [path, x, y] = getSmoothStepPath({ ...props, borderRadius: 12 });
  if (data === undefined) return null;
  const { branch, passed, edit } = data;
  return (
    <>
      <BaseEdge
        path={path}
        className={css.edge ?? ''}
        data-lit={data.lit || undefined}
        data-mark={data.mark}
        data-selected={selected || undefined}
        {...(props.markerEnd === undefined ? {} : { markerEnd: props.markerEnd })}
      />
      <EdgeLabelRenderer>
        <div className={css.onEdge} style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}>
          {passed === undefined ? null : (
            <span className={css.count} data-way={`${source} ${branch}`}>
              {format.number(passed)}
            </span>
          )}
          {edit === null
            ? null
            : (['insert', 'cut'] as const).map((action) => (
                <button
                  key={action}
                  type="button"
                  tabIndex={-1}
                  className={`${css.insert} nodrag nopan`}
                  data-action={action}
                  aria-label={t(`builder.${action}_here`, { from: source, branch })}
                  onClick={() => edit[action](source, branch)}
                >
                  <Icon name={action === 'insert' ? 'plus' : 'x'} size={13} />
                </button>
              ))}
        </div>
      </EdgeLabelRenderer>
    </>
  );
});
