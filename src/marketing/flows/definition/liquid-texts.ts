import type { FieldError } from '../../../errors.ts';
import type { DraftStep } from './steps.ts';

/** The texts of messages, which are Liquid: one that can be rendered for nobody would be found out by messages that fail. */
export function textsOf(steps: readonly DraftStep[]): { field: string; text: string }[] {
  return steps.flatMap(({ type, config = {} }, i) => {
    if (type !== 'send_email' && type !== 'send_sms') return [];
    return ['subject', 'preview_text', 'content'].flatMap((name) => {
      const text = config[name];
      return typeof text === 'string' ? [{ field: `steps.${i}.config.${name}`, text }] : [];
    });
  });
}

/** What is wrong with the texts: `failures` are those of each, in order. */
export function textErrors(
  texts: readonly { field: string }[],
  failures: readonly ({ error: string; line: number | null } | null)[],
): FieldError[] {
  return texts.flatMap(({ field }, i) => {
    const failure = failures[i];
    if (failure == null) return [];
    const { error, line } = failure;
    return [{ field, code: 'invalid', message: `${field}: ${error}${line === null ? '' : ` (line ${line})`}` }];
  });
}
