import Type, { type TObject } from 'typebox';
import type { FieldError } from '../../../errors.ts';
import { readSender } from '../../../lib/addresses.ts';
import { type Validator, validatorOf } from '../../../lib/validation.ts';
import { historyRulesOf, keyOf } from '../../rules/histories.ts';
import { checkRules } from '../../rules/language.ts';
import { eventTypesOf } from '../../rules/references.ts';
import { isZone } from '../engine/schedule.ts';
import { conditionsOf } from './conditions.ts';
import {
  branchesOf,
  CONFIGS,
  type Definition,
  type DraftStep,
  EMPTY_DEFINITION,
  type EventMatch,
  STEP_TYPES,
  type StepType,
  TRIGGER,
} from './definition.ts';
import { edgesOf, hasBranch, reachableFrom, stepOnBusyLoop } from './graph.ts';

const complete = validatorsOf((schema) => schema);
const partial = validatorsOf((schema) => Type.Partial(schema));

/** Different rules of one flow that ask for the histories of contacts. */
const MAX_HISTORY_RULES = 50;

function validatorsOf(form: (schema: TObject) => TObject): Record<StepType, Validator> {
  return Object.fromEntries(STEP_TYPES.map((type) => [type, validatorOf(form(CONFIGS[type]))])) as Record<
    StepType,
    Validator
  >;
}

/**
 * What is wrong with the shape of a definition, whose outline the body's schema has checked: a draft may be unfinished,
 * but what it holds is of the right kind. Trims the texts of configurations in place.
 */
export function checkShape(definition: Definition): FieldError[] {
  const errors = [
    ...checkIds(definition),
    ...definition.steps.flatMap(checkConfig(partial)),
    ...checkFlowRules(definition),
  ];
  return errors.length > 0 ? errors : checkHistories(definition);
}

/** Everything that keeps a definition from being activated; each error with its path. */
export function checkGraph(definition: Definition): FieldError[] {
  const errors = [
    ...checkIds(definition),
    ...definition.steps.flatMap(checkConfig(complete)),
    ...definition.steps.flatMap(checkMeaning),
    ...checkFlowRules(definition),
    ...checkEntry(definition),
    ...checkConnections(definition),
  ];
  // What follows is read off a graph that hangs together.
  return errors.length > 0 ? errors : [...checkHistories(definition), ...checkWays(definition)];
}

function checkIds({ steps }: Definition): FieldError[] {
  const seen = new Set<string>([TRIGGER]);
  return steps.flatMap(({ step_id: id }, i) => {
    const taken = seen.has(id);
    seen.add(id);
    const why = id === TRIGGER ? 'is reserved for the entry' : 'is used by another step';
    return taken ? [wrong(`steps.${i}.step_id`, why)] : [];
  });
}

function checkConfig(validators: Record<StepType, Validator>) {
  return (step: DraftStep, i: number): FieldError[] => {
    const path = `steps.${i}.config`;
    const errors = (validators[step.type](step.config ?? {}) ?? []).map(({ field, code, message }) => {
      const at = field === '' ? path : `${path}.${field}`;
      return { field: at, code, message: `${at} ${message.slice((field || 'body').length + 1)}` };
    });
    return errors.length > 0 ? errors : checkStepRules(step, path);
  };
}

function checkStepRules({ type, config = {} }: DraftStep, path: string): FieldError[] {
  if (type === 'branch') {
    const paths = (config.paths ?? []) as { conditions: unknown }[];
    return paths.flatMap(({ conditions }, i) => checkRules(conditions, `${path}.paths.${i}.conditions`, 'event'));
  }
  if (type === 'send_email') return checkSender(config.from, `${path}.from`);
  if (type === 'send_sms') return [];
  return config.conditions === undefined ? [] : checkRules(config.conditions, `${path}.conditions`, 'event');
}

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

/** As the sender of messages reads it; empty is the company's own. */
function checkSender(sender: unknown, path: string): FieldError[] {
  const text = typeof sender === 'string' ? sender.trim() : '';
  return text === '' || readSender(text) !== null ? [] : [wrong(path, 'must be an e-mail address, or Name <address>')];
}

function checkFlowRules({ trigger_conditions: conditions, exit_on: exitOn, goal }: Definition): FieldError[] {
  const matches: [string, EventMatch][] = exitOn.map((match, i) => [`exit_on.${i}`, match]);
  if (goal !== null) matches.push(['goal', goal]);
  return [
    ...(conditions === null ? [] : checkRules(conditions, 'trigger_conditions', 'event')),
    ...matches.flatMap(([path, match]) =>
      match.conditions === undefined ? [] : checkRules(match.conditions, `${path}.conditions`, 'event'),
    ),
  ];
}

/** Each is a part of a statement that is made for every set of runs. */
function checkHistories(definition: Definition): FieldError[] {
  const asked = conditionsOf(definition).flatMap(({ conditions }) => historyRulesOf(conditions));
  return new Set(asked.map(keyOf)).size > MAX_HISTORY_RULES
    ? [wrong('steps', `ask for the histories of contacts by more than ${MAX_HISTORY_RULES} different rules`)]
    : [];
}

/** What a type demands beyond its schema. */
function checkMeaning(step: DraftStep, i: number): FieldError[] {
  const path = `steps.${i}.config`;
  const config = step.config ?? {};
  switch (step.type) {
    case 'send_email': {
      if (config.template_id !== undefined || (config.subject !== undefined && config.content !== undefined)) return [];
      return [wrong(path, 'needs a template_id, or subject and content')];
    }
    case 'wait_until': {
      const errors = checkZone(config.timezone, `${path}.timezone`);
      if (['time', 'weekdays', 'date_field'].every((key) => config[key] === undefined)) {
        errors.push(wrong(path, 'needs a time, weekdays or a date_field'));
      }
      return errors;
    }
    case 'branch':
      return checkKeys(step, `${path}.paths`);
    case 'split': {
      const weights = (config.variants as { weight?: number }[] | undefined) ?? [];
      const heavy = weights.some(({ weight }) => Number(weight) > 0);
      return [
        ...checkKeys(step, `${path}.variants`),
        ...(heavy ? [] : [wrong(`${path}.variants`, 'must have a weight over 0')]),
      ];
    }
    default:
      return [];
  }
}

function checkKeys(step: DraftStep, path: string): FieldError[] {
  const keys = branchesOf(step);
  return keys.flatMap((key, i) =>
    keys.indexOf(key) < i ? [wrong(`${path}.${keys.indexOf(key)}.key`, `is used twice: ${key}`)] : [],
  );
}

function checkZone(zone: unknown, path: string): FieldError[] {
  const known = zone === undefined || zone === 'contact' || isZone(String(zone));
  return known ? [] : [wrong(path, 'must be contact or an IANA time zone such as Europe/Berlin')];
}

function checkEntry({ reentry, quiet_hours: quiet }: Definition): FieldError[] {
  const errors = checkZone(quiet?.timezone, 'quiet_hours.timezone');
  if (reentry.mode === 'cooldown' && reentry.hours === undefined) {
    errors.push(wrong('reentry.hours', 'is required with the mode cooldown'));
  }
  return errors;
}

function checkConnections({ steps, connections }: Definition): FieldError[] {
  const byId = new Map(steps.map((step) => [step.step_id, step]));
  const taken = new Set<string>();
  return connections.flatMap(({ from, to, branch = 'default' }, i) => {
    const path = `connections.${i}`;
    const errors: FieldError[] = [];
    const step = byId.get(from);
    if (step === undefined && from !== TRIGGER) errors.push(wrong(`${path}.from`, `names no step: ${from}`));
    if (!byId.has(to)) errors.push(wrong(`${path}.to`, `names no step: ${to}`));
    const exists = step === undefined ? from !== TRIGGER || branch === 'default' : hasBranch(step, branch);
    if (!exists) errors.push(wrong(`${path}.branch`, `is no branch of ${from}: ${branch}`));
    if (taken.has(`${from} ${branch}`)) errors.push(wrong(path, `is a second way out of ${from} by ${branch}`));
    taken.add(`${from} ${branch}`);
    return errors;
  });
}

function checkWays(definition: Definition): FieldError[] {
  const reached = new Set(reachableFrom(edgesOf(definition), TRIGGER));
  const errors = definition.steps.flatMap(({ step_id: id }, i) =>
    reached.has(id) ? [] : [wrong(`steps.${i}`, `cannot be reached from the trigger: ${id}`)],
  );
  const busy = stepOnBusyLoop(definition);
  if (busy !== null) {
    const i = definition.steps.findIndex((step) => step.step_id === busy);
    errors.push(wrong(`steps.${i}`, `lies on a loop without a wait: ${busy}`));
  }
  return errors;
}

/** What of a definition names something outside of it, for the service to look up. */
export interface References {
  eventTypes: Map<string, string>;
  listIds: Map<number, string>;
  templateIds: Map<number, string>;
  flowIds: Map<number, string>;
}

/** Each with the path at which it is named first. */
export function referencesOf(definition: Definition): References {
  const found: References = { eventTypes: new Map(), listIds: new Map(), templateIds: new Map(), flowIds: new Map() };
  const note = <K>(names: Map<K, string>, name: K | undefined, path: string): void => {
    if (name !== undefined && !names.has(name)) names.set(name, path);
  };
  for (const { conditions, path } of conditionsOf(definition)) {
    for (const named of eventTypesOf(conditions, path, 'event')) note(found.eventTypes, named.eventType, named.path);
  }
  for (const [i, match] of definition.exit_on.entries()) {
    note(found.eventTypes, match.event_type, `exit_on.${i}.event_type`);
  }
  note(found.eventTypes, definition.goal?.event_type, 'goal.event_type');
  for (const [i, { config = {} }] of definition.steps.entries()) {
    const path = `steps.${i}.config`;
    note(found.eventTypes, config.event_type as string | undefined, `${path}.event_type`);
    note(found.listIds, config.list_id as number | undefined, `${path}.list_id`);
    note(found.templateIds, config.template_id as number | undefined, `${path}.template_id`);
    note(found.flowIds, config.flow_id as number | undefined, `${path}.flow_id`);
  }
  return found;
}

/** A new definition with what `patch` gives; the rest as it was. */
export function mergeDefinition(current: Definition | null, patch: Partial<Definition>): Definition {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  return { ...EMPTY_DEFINITION, ...current, ...given };
}

function wrong(field: string, what: string): FieldError {
  return { field, code: 'invalid', message: `${field} ${what}` };
}
