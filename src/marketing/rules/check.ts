import type { FieldError } from '../../errors.ts';
import { type KnownProblem, problem, wrong } from '../../lib/validation/problems.ts';
import {
  type CheckRule,
  type Comparison,
  checkComparison,
  checkGroup,
  checkTree,
  type Found,
  isDays,
  isPath,
  NO_DAYS,
  valueError,
} from '../../rules/language.ts';
import { toMoment, toNumber } from '../../rules/values.ts';
import { type HistoryField, isFilterable, kindOfMeasure, parseContactField, takesDays } from './fields.ts';
import { RFM_CLASSES } from './rfm.ts';

/** The subject of rules: an event and its contact, contacts alone as in a segment, or the data of an event alone. */
export type Subject = 'event' | 'contact' | 'data';

/** All errors of rules on that subject, each with its path under `path`. */
export function checkRules(rules: unknown, path: string, subject: Subject): FieldError[] {
  return checkTree(rules, path, checkOf(subject));
}

function checkOf(subject: Subject): CheckRule {
  return (rule, path, depth, found) => checkRule(rule, path, depth, subject, found);
}

function checkRule(rule: Record<string, unknown>, path: string, depth: number, subject: Subject, found: Found): void {
  const { errors } = found;
  const { field, comparison } = rule;
  const history = checkField(field, `${path}.field`, subject, errors);
  if (!checkComparison(comparison, `${path}.comparison`, errors)) return;
  const unfit =
    history === null ? valueError(comparison, rule.value) : historyValueError(history, comparison, rule.value);
  if (unfit !== null) errors.push(wrong(`${path}.value`, unfit));
  checkDays(rule.within_days, `${path}.within_days`, history, errors);
  if (rule.where === undefined) return;
  if (history === null || !isFilterable(history)) {
    errors.push(wrong(`${path}.where`, problem('where_unfit')));
    return;
  }
  found.groups++;
  checkGroup(rule.where, `${path}.where`, depth + 1, checkOf('data'), found);
}

/** Returns the field if it concerns the contact's history. */
function checkField(field: unknown, path: string, subject: Subject, errors: FieldError[]): HistoryField | null {
  if (!isPath(field)) {
    errors.push(wrong(path, problem('no_path')));
    return null;
  }
  const ofContact = field.startsWith('contact.');
  if (subject === 'data' && ofContact) errors.push(wrong(path, problem('no_data_path')));
  if (subject === 'data' || (subject === 'event' && !ofContact)) return null;
  const parsed = parseContactField(field);
  if (parsed === null) errors.push(wrong(path, problem('no_contact_field', { name: field })));
  return parsed?.kind === 'history' ? parsed : null;
}

function checkDays(days: unknown, path: string, history: HistoryField | null, errors: FieldError[]): void {
  if (days === undefined) return;
  if (history === null || !takesDays(history)) {
    errors.push(wrong(path, problem('days_unfit')));
  } else if (!isDays(days)) errors.push(wrong(path, NO_DAYS));
}

function historyValueError({ measure }: HistoryField, comparison: Comparison, value: unknown): KnownProblem | null {
  const kind = kindOfMeasure(measure);
  if (kind === 'ids') return idsError(comparison, value);
  if (kind === 'names') return valueError(comparison, value);
  if (kind !== 'count' && (comparison === 'exists' || comparison === 'not_exists')) return null;
  switch (kind) {
    case 'moment':
      return momentError(comparison, value);
    case 'class':
      return classError(comparison, value);
    default:
      return numberError(comparison, value);
  }
}

/** Counts, sums and scores are compared only as numbers. */
function numberError(comparison: Comparison, value: unknown): KnownProblem | null {
  switch (comparison) {
    case 'equals':
    case 'not_equals':
    case 'greater_than':
    case 'greater_than_or_equal':
    case 'less_than':
    case 'less_than_or_equal':
      return toNumber(value) === null ? problem('no_number') : null;
    case 'between':
      return Array.isArray(value) && value.length === 2 && value.every((end) => toNumber(end) !== null)
        ? null
        : problem('no_number_ends');
    default:
      return problem('number_unfit', { comparison });
  }
}

function momentError(comparison: Comparison, value: unknown): KnownProblem | null {
  switch (comparison) {
    case 'before':
    case 'after':
    case 'within_last_days':
      return valueError(comparison, value);
    case 'between':
      return Array.isArray(value) && value.length === 2 && value.every((end) => toMoment(end) !== null)
        ? null
        : problem('no_date_ends');
    default:
      return problem('date_unfit', { comparison });
  }
}

function classError(comparison: Comparison, value: unknown): KnownProblem | null {
  const isOne = (one: unknown): boolean => RFM_CLASSES.includes(one as string);
  const among = { list: RFM_CLASSES.join(', ') };
  switch (comparison) {
    case 'equals':
    case 'not_equals':
      return isOne(value) ? null : problem('no_class', among);
    case 'in':
    case 'not_in':
      return Array.isArray(value) && value.length >= 1 && value.length <= RFM_CLASSES.length && value.every(isOne)
        ? null
        : problem('no_classes', among);
    default:
      return problem('class_unfit', { comparison });
  }
}

/** Ids are compared whole. */
function idsError(comparison: Comparison, value: unknown): KnownProblem | null {
  switch (comparison) {
    case 'equals':
    case 'not_equals':
      return isId(value) ? null : problem('no_number');
    case 'in':
    case 'not_in':
      return valueError(comparison, value) ?? ((value as unknown[]).every(isId) ? null : problem('no_number'));
    default:
      return problem('number_unfit', { comparison });
  }
}

function isId(value: unknown): boolean {
  const id = toNumber(value);
  return id !== null && Number.isSafeInteger(id) && id > 0;
}
