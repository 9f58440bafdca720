import type { TObject } from 'typebox';
import Type from 'typebox';
import type { FieldError } from '../../../errors.ts';
import { readSender } from '../../../lib/addresses.ts';
import { isZone } from '../../../lib/time-zones/time-zones.ts';
import { problem, wrong } from '../../../lib/validation/problems.ts';
import { type Validator, validatorOf } from '../../../lib/validation/validation.ts';
import { MAX_DEPTH, type RuleGroup } from '../../../rules/language.ts';
import { checkRules } from '../../rules/check.ts';
import { historyRulesOf, keyOf } from '../../rules/history-rules.ts';
import { eventTypesOf } from '../../rules/references.ts';
import { type Definition, TRIGGER } from './definition.ts';
import { edgesOf, hasBranch, reachableFrom, stepOnBusyLoop } from './graph.ts';
import type { EventMatch } from './schemas.ts';
import { branchesOf, CONFIGS, type DraftStep, STEP_TYPES, type StepType } from './steps.ts';
import { checkSettings } from './trigger.ts';

/** Maximum number of different rules of one flow that use the histories of contacts. */
const MAX_HISTORY_RULES = 50;

/**
 * Checks a draft, beyond the schema of the body: it may be incomplete, but what it contains must be valid. Trims the texts of
 * configurations in place.
 */
export function checkShape(definition: Definition): FieldError[] {
  const errors = [
    ...checkIds(definition),
    ...checkSettings(definition.trigger_settings ?? null),
    ...definition.steps.flatMap(checkConfig(partial)),
    ...checkFlowRules(definition),
  ];
  return errors.length > 0 ? errors : checkHistories(definition);
}

/** Checks a definition for activation; each error with its path. */
export function checkGraph(definition: Definition): FieldError[] {
  const errors = [
    ...checkIds(definition),
    ...definition.steps.flatMap(checkConfig(complete)),
    ...definition.steps.flatMap(checkMeaning),
    ...checkFlowRules(definition),
    ...checkEntry(definition),
    ...checkConnections(definition),
  ];
  // These checks need a connected graph.
  return errors.length > 0 ? errors : [...checkHistories(definition), ...checkReachability(definition)];
}

function checkIds({ steps }: Definition): FieldError[] {
  const seen = new Set<string>([TRIGGER]);
  return steps.flatMap(({ step_id: id }, i) => {
    const taken = seen.has(id);
    seen.add(id);
    const why = problem(id === TRIGGER ? 'reserved_step_id' : 'step_id_taken');
    return taken ? [wrong(`steps.${i}.step_id`, why)] : [];
  });
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

/** Limits these rules: each is a part of a statement that is executed for every set of runs. */
function checkHistories(definition: Definition): FieldError[] {
  const asked = conditionsOf(definition).flatMap(({ conditions }) => historyRulesOf(conditions));
  return new Set(asked.map(keyOf)).size > MAX_HISTORY_RULES
    ? [wrong('steps', problem('too_many_history_rules', { most: MAX_HISTORY_RULES }))]
    : [];
}

function checkEntry({ reentry, quiet_hours: quiet }: Definition): FieldError[] {
  const errors = checkZone(quiet?.timezone, 'quiet_hours.timezone');
  if (reentry.mode === 'cooldown' && reentry.hours === undefined) {
    errors.push(wrong('reentry.hours', problem('cooldown_without_hours')));
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
    if (step === undefined && from !== TRIGGER) errors.push(wrong(`${path}.from`, problem('no_step', { name: from })));
    if (!byId.has(to)) errors.push(wrong(`${path}.to`, problem('no_step', { name: to })));
    const exists = step === undefined ? from !== TRIGGER || branch === 'default' : hasBranch(step, branch);
    if (!exists) errors.push(wrong(`${path}.branch`, problem('no_branch', { step: from, name: branch })));
    if (taken.has(`${from} ${branch}`)) errors.push(wrong(path, problem('second_way', { step: from, name: branch })));
    taken.add(`${from} ${branch}`);
    return errors;
  });
}

function checkReachability(definition: Definition): FieldError[] {
  const reached = new Set(reachableFrom(edgesOf(definition), TRIGGER));
  const errors = definition.steps.flatMap(({ step_id: id }, i) =>
    reached.has(id) ? [] : [wrong(`steps.${i}`, problem('unreachable', { name: id }))],
  );
  const busy = stepOnBusyLoop(definition);
  if (busy !== null) {
    const i = definition.steps.findIndex((step) => step.step_id === busy);
    errors.push(wrong(`steps.${i}`, problem('loop_without_wait', { name: busy })));
  }
  return errors;
}

const complete = validatorsOf((schema) => schema);
const partial = validatorsOf((schema) => Type.Partial(schema));

function validatorsOf(form: (schema: TObject) => TObject): Record<StepType, Validator> {
  return Object.fromEntries(STEP_TYPES.map((type) => [type, validatorOf(form(CONFIGS[type]))])) as Record<
    StepType,
    Validator
  >;
}

function checkConfig(validators: Record<StepType, Validator>) {
  return (step: DraftStep, i: number): FieldError[] => {
    const path = `steps.${i}.config`;
    const errors = (validators[step.type](step.config ?? {}) ?? []).map(({ field, message, ...rest }) => {
      const at = field === '' ? path : `${path}.${field}`;
      return { ...rest, field: at, message: `${at} ${message.slice((field || 'body').length + 1)}` };
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

/** Accepts what messaging accepts as a sender; empty is the company's own. */
function checkSender(sender: unknown, path: string): FieldError[] {
  const text = typeof sender === 'string' ? sender.trim() : '';
  return text === '' || readSender(text) !== null ? [] : [wrong(path, problem('no_sender'))];
}

/** Checks what a step type requires beyond its schema. */
function checkMeaning(step: DraftStep, i: number): FieldError[] {
  const path = `steps.${i}.config`;
  const config = step.config ?? {};
  switch (step.type) {
    case 'send_email': {
      if (config.template_id !== undefined || (config.subject !== undefined && config.content !== undefined)) return [];
      return [wrong(path, problem('no_content'))];
    }
    case 'wait_until': {
      const errors = checkZone(config.timezone, `${path}.timezone`);
      if (['time', 'weekdays', 'date_field'].every((key) => config[key] === undefined)) {
        errors.push(wrong(path, problem('no_time')));
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
        ...(heavy ? [] : [wrong(`${path}.variants`, problem('no_weight'))]),
      ];
    }
    default:
      return [];
  }
}

function checkKeys(step: DraftStep, path: string): FieldError[] {
  const keys = branchesOf(step);
  return keys.flatMap((key, i) =>
    keys.indexOf(key) < i ? [wrong(`${path}.${keys.indexOf(key)}.key`, problem('key_twice', { name: key }))] : [],
  );
}

function checkZone(zone: unknown, path: string): FieldError[] {
  const known = zone === undefined || zone === 'contact' || isZone(String(zone));
  return known ? [] : [wrong(path, problem('no_zone'))];
}

interface NamedConditions {
  path: string;
  conditions: RuleGroup;
}

/** All rule groups of a definition. Skips values of another shape: a draft may not have been checked yet. */
function conditionsOf({ trigger_conditions, exit_on, goal, steps }: Definition): NamedConditions[] {
  const found: [string, unknown][] = [
    ['trigger_conditions', trigger_conditions],
    ...exit_on.map((match, i): [string, unknown] => [`exit_on.${i}.conditions`, match.conditions]),
    ['goal.conditions', goal?.conditions],
    ...steps.flatMap(ofStep),
  ];
  return found.flatMap(([path, conditions]) => (isRuleGroup(conditions) ? [{ path, conditions }] : []));
}

function ofStep({ type, config = {} }: DraftStep, i: number): [string, unknown][] {
  const at = `steps.${i}.config`;
  if (type !== 'branch') return [[`${at}.conditions`, config.conditions]];
  const paths = Array.isArray(config.paths) ? config.paths : [];
  return paths.map((path: { conditions?: unknown } | null, n) => [`${at}.paths.${n}.conditions`, path?.conditions]);
}

function isRuleGroup(value: unknown, depth = 1): value is RuleGroup {
  const rules = (value as { rules?: unknown } | null | undefined)?.rules;
  return (
    depth <= MAX_DEPTH &&
    Array.isArray(rules) &&
    rules.every((rule: unknown) => {
      if (typeof rule !== 'object' || rule === null) return false;
      return Object.hasOwn(rule, 'rules')
        ? isRuleGroup(rule, depth + 1)
        : typeof (rule as { field?: unknown }).field === 'string';
    })
  );
}

/** What a definition refers to outside of itself; each map has the path of the reference. */
interface References {
  eventTypes: Map<string, string>;
  listIds: Map<number, string>;
  templateIds: Map<number, string>;
  flowIds: Map<number, string>;
}

/** The references of a definition, each with the path of its first occurrence. */
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
