import type { Queryable } from '../../../db/pool.ts';
import { invalidField, validationFailed } from '../../../errors.ts';
import { formatTimestamp, parseTimestamp } from '../../../lib/timestamps.ts';
import type { Rule, RuleGroup } from '../../../rules/language.ts';
import { loadContacts } from '../../contacts/service.ts';
import { findListSettings } from '../../lists/service.ts';
import { evaluateRules, explainRules } from '../../rules/evaluate.ts';
import { createFacts, type Facts } from '../../rules/facts.ts';
import { checkGraph, checkShape, referencesOf } from '../definition/check.ts';
import { mergeDefinition } from '../definition/definition.ts';
import { compileGraph } from '../definition/graph.ts';
import { checkTrigger } from '../definition/trigger.ts';
import type { RunContact } from '../engine/run.ts';
import { type FlowRow, findTimeZone, flowStatuses } from '../queries.ts';
import { requireFlow } from '../report/service.ts';
import type { TestBody } from './contract.ts';
import { type TrialDecision, walk } from './trial.ts';

/** Simulates a flow in its current state for a contact and an event, and writes nothing. */
export async function testFlow(db: Queryable, companyId: number, id: number, input: TestBody, requestedAt: Date) {
  const flow = draftOf(await requireFlow(db, companyId, id), input.draft);
  const { trigger_type: type, definition } = flow;
  const errors = [...checkTrigger(type, definition.trigger_settings ?? null), ...checkGraph(definition)];
  if (errors.length > 0) throw validationFailed(errors);
  const now = startOf(input, requestedAt);
  const contact = await contactOf(db, companyId, input);
  const data = input.event_data ?? {};
  const conditions = flow.definition.trigger_conditions;
  const facts = createFacts(companyId, now);
  const entry = conditions === null ? null : await entryOf(db, conditions, { data, contact, facts }, now);
  const enters = entry === null || entry.paths[0]!.holds;
  const before = entry === null ? [] : [entry];
  if (!enters) {
    return { flow_id: id, enters, path: [], effects: [], decisions: before, status: 'not_entered', reason: null };
  }
  const { listIds, flowIds } = referencesOf(flow.definition);
  const lists = await findListSettings(db, companyId, [...listIds.keys()]);
  const trial = {
    flowId: id,
    contact,
    event: { event_id: null, event_type: flow.trigger_type, occurred_at: now.toISOString(), data },
    events: (input.events ?? []).map(({ event_type, event_data, after_minutes }) => {
      return { event_type, data: event_data ?? {}, at: new Date(now.getTime() + after_minutes * 60_000) };
    }),
    webhooks: input.webhooks ?? {},
    zone: await findTimeZone(db, companyId),
    lists: new Map(lists.map((list) => [list.id, list])),
    flows: await flowStatuses(db, companyId, [...flowIds.keys()]),
  };
  const graph = compileGraph(flow.definition);
  for (;;) {
    const found = walk(graph, { ...trial, facts }, now);
    const decisions = [...before, ...found.decisions];
    if (!(await facts.load(db))) return { flow_id: id, enters, ...found, decisions };
  }
}

/** The flow with the parts of an unsaved edit. Throws `validation_failed`. */
function draftOf(flow: FlowRow, draft: TestBody['draft'] = {}): FlowRow {
  const { trigger_type = flow.trigger_type, ...parts } = draft;
  const definition = mergeDefinition(flow.definition, parts);
  const errors = checkShape(definition);
  if (errors.length > 0) throw validationFailed(errors);
  return { ...flow, trigger_type, definition };
}

function startOf({ starts_at: given }: TestBody, now: Date): Date {
  if (given === undefined) return now;
  const moment = parseTimestamp(given);
  if (moment === null)
    throw invalidField('starts_at', 'starts_at must be a moment such as 2026-01-31 09:00:00', 'invalid');
  return moment;
}

/** Evaluates the trigger conditions for the event and the contact. */
async function entryOf(
  db: Queryable,
  conditions: RuleGroup,
  { data, contact, facts }: { data: object; contact: RunContact; facts: Facts },
  now: Date,
): Promise<TrialDecision> {
  facts.require(contact.contact_id, conditions);
  await facts.load(db);
  const history = (rule: Rule): boolean => facts.holds(contact.contact_id, rule);
  const scope = { event: data, contact, history };
  const holds = evaluateRules(conditions, scope, now);
  const paths = [{ key: 'default', holds, rules: explainRules(conditions, scope, now) }];
  return { at: formatTimestamp(now), step_id: null, branch: holds ? 'default' : 'not_entered', paths };
}

/** The contact with the id, overridden by the fields of `contact`, or an imaginary one. */
async function contactOf(db: Queryable, companyId: number, input: TestBody): Promise<RunContact> {
  const { contact_id: id = 0, contact = {} } = input;
  const nobody: RunContact = { contact_id: 0, tags: [], properties: {}, lists: [] };
  const known = id === 0 ? nobody : (await loadContacts(db, companyId, [id])).get(id);
  if (known === undefined) throw invalidField('contact_id', `Unknown contact: ${id}`, 'not_found');
  const { tags, properties, lists } = contact;
  return {
    ...known,
    ...contact,
    contact_id: id,
    tags: Array.isArray(tags) ? tags.map(String) : known.tags,
    properties: isRecord(properties) ? { ...known.properties, ...properties } : known.properties,
    lists: Array.isArray(lists) ? (lists.filter(isRecord) as RunContact['lists']) : known.lists,
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
