import { tOf } from '../../i18n/i18n.ts';
import type { Flow } from './queries.ts';

/** What the flow calls the step: its name, or else its type; of a step that is no longer there its id. */
export function stepName(flow: Pick<Flow, 'steps'> | undefined, stepId: string): string {
  const step = flow?.steps.find((one) => one.step_id === stepId);
  return step === undefined ? stepId : step.name || tOf('flow.step', step.type);
}
