import type { Draft, Step, StepType } from './draft.ts';

/** The steps whose name, type, id, comment or configuration holds the text. */
export function stepsWith({ steps }: Draft, text: string, nameOf: (type: StepType) => string): Step[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  return steps.filter(({ step_id, name = '', type, comment = '', config }) =>
    [step_id, name, nameOf(type), comment, JSON.stringify(config ?? {})].join('\n').toLowerCase().includes(wanted),
  );
}
