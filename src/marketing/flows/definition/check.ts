import type { FieldError } from '../../../errors.ts';
import { problem, wrong } from '../../../lib/validation/problems.ts';
import { historyRulesOf, keyOf } from '../../rules/history-rules.ts';
import { checkRules } from '../../rules/language.ts';
import { checkConfig, checkMeaning, checkZone, complete, partial } from './check-steps.ts';
import { conditionsOf } from './conditions.ts';
import { type Definition, TRIGGER } from './definition.ts';
import { edgesOf, hasBranch, reachableFrom, stepOnBusyLoop } from './graph.ts';
import type { EventMatch } from './schemas.ts';

/** Maximum number of different rules of one flow that use the histories of contacts. */
const MAX_HISTORY_RULES = 50;

/**
 * Checks a draft, beyond the schema of the body: it may be incomplete, but what it contains must be valid. Trims the texts of
 * configurations in place.
 */
export function checkShape(definition: Definition): FieldError[] {
  const errors = [
    ...checkIds(definition),
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
