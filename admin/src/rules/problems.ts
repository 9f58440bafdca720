import { checkRules, type Subject } from '../../../src/marketing/rules/language.ts';

/**
 * What is yet to be completed, by its place (`rules.0.value`): the API's own check, so that what has no problem here is
 * accepted there. Only whether event types and lists exist is known by the API alone.
 */
export function problemsOf(value: unknown, subject: Subject): Map<string, string> {
  const errors = checkRules(value, '', subject);
  return new Map(errors.map(({ field, message }) => [field.replace(/^\./, ''), message]));
}

/** Whether the rules can be sent. */
export function isComplete(value: unknown, subject: Subject): boolean {
  return checkRules(value, '', subject).length === 0;
}

/** Errors of the API by the same places, whatever the field is called in which the rules were sent. */
export function placesOf(errors: { field: string; message: string }[]): Map<string, string> {
  return new Map(
    errors.map(({ field, message }) => [field.includes('rules.') ? field.slice(field.indexOf('rules.')) : '', message]),
  );
}
