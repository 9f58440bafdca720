import { tOf } from '../../i18n/i18n.ts';
import type { Flow } from './queries.ts';

/** Returns the flow's name for a step, or else its type; for a step that no longer exists, its id. */
export function stepName(flow: Pick<Flow, 'steps'> | undefined, stepId: string): string {
  const step = flow?.steps.find((one) => one.step_id === stepId);
  return step === undefined ? stepId : step.name || tOf('flow.step', step.type);
}
