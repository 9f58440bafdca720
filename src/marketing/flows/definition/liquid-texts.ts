import type { FieldError } from '../../../errors.ts';
import { problem, wrong } from '../../../lib/validation/problems.ts';
import type { DraftStep } from './steps.ts';

/** The Liquid texts of message steps, checked when the flow is saved: an invalid one would fail every message. */
export function textsOf(steps: readonly DraftStep[]): { field: string; text: string }[] {
  return steps.flatMap(({ type, config = {} }, i) => {
    if (type !== 'send_email' && type !== 'send_sms') return [];
    return ['subject', 'preview_text', 'content'].flatMap((name) => {
      const text = config[name];
      return typeof text === 'string' ? [{ field: `steps.${i}.config.${name}`, text }] : [];
    });
  });
}

/** The errors of the texts; `failures` has one entry for each, in order. */
export function textErrors(
  texts: readonly { field: string }[],
  failures: readonly ({ error: string; line: number | null } | null)[],
): FieldError[] {
  return texts.flatMap(({ field }, i) => {
    const failure = failures[i];
    if (failure == null) return [];
    const { error: reason, line } = failure;
    return [wrong(field, line === null ? problem('liquid', { reason }) : problem('liquid_line', { reason, line }))];
  });
}
