import { t } from '../../../i18n/i18n.ts';
import { sentenceOf } from '../../templates/Warnings.tsx';
import type { Flow } from '../queries.ts';
import { TRIGGER } from './draft.ts';
import type { Problem } from './problems.ts';

/** What to look at in a flow that has just become active, at its steps and in the person's language. */
export function warningsOf({ warnings = [] }: Pick<Flow, 'warnings'>): Problem[] {
  return warnings.map(({ code, step_id, detail }) => ({
    id: step_id ?? TRIGGER,
    path: '',
    message:
      code === 'same_trigger'
        ? t('builder.same_trigger', { detail })
        : sentenceOf({ code, field: 'content', detail, suggestion: null }),
  }));
}
