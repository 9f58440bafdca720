import { checkProductRules } from '../../../src/commerce/collections/rules.ts';
import { checkRules } from '../../../src/marketing/rules/check.ts';
import { isProducts, type Subject } from './fields.ts';

/**
 * Returns what is still incomplete, by path (`rules.0.value`): the API's own check, so that rules without problems here
 * are accepted there. Only the API knows whether event types and lists exist.
 */
export function problemsOf(value: unknown, subject: Subject): Map<string, string> {
  const errors = errorsOf(value, subject);
  return new Map(errors.map(({ field, message }) => [field.replace(/^\./, ''), message]));
}

/** Whether the rules can be sent. */
export function isComplete(value: unknown, subject: Subject): boolean {
  return errorsOf(value, subject).length === 0;
}

function errorsOf(value: unknown, subject: Subject) {
  return isProducts(subject) ? checkProductRules(value, '', subject.customFields) : checkRules(value, '', subject);
}

/** Returns errors of the API by the same paths, whatever the name of the field in which the rules were sent. */
export function placesOf(errors: { field: string; message: string }[]): Map<string, string> {
  return new Map(
    errors.map(({ field, message }) => [field.includes('rules.') ? field.slice(field.indexOf('rules.')) : '', message]),
  );
}
