import type { Queryable } from '../../../db/pool.ts';
import { invalidField, validationFailed } from '../../../errors.ts';
import { loadContacts } from '../../contacts/service.ts';
import { findListSettings } from '../../lists/service.ts';
import { evaluateRules } from '../../rules/evaluate.ts';
import { createFacts, type Facts } from '../../rules/facts.ts';
import type { Rule, RuleGroup } from '../../rules/language.ts';
import { checkGraph } from '../definition/check.ts';
import { compileGraph } from '../definition/graph.ts';
import { referencesOf } from '../definition/references.ts';
import type { RunContact } from '../engine/run.ts';
import { findTimeZone, flowStatuses } from '../queries.ts';
import { requireFlow } from '../report/service.ts';
import type { TestBody } from './contract.ts';
import { walk } from './trial.ts';

/** Walks through a flow as it is now, for a contact and an event, and writes nothing. */
export async function testFlow(db: Queryable, companyId: number, id: number, input: TestBody, now: Date) {
  const flow = await requireFlow(db, companyId, id);
  const errors = checkGraph(flow.definition);
  if (errors.length > 0) throw validationFailed(errors);
  const contact = await contactOf(db, companyId, input);
  const data = input.event_data ?? {};
  const conditions = flow.definition.trigger_conditions;
  const facts = createFacts(companyId, now);
  const enters = conditions === null || (await holds(db, conditions, { data, contact, facts }, now));
  if (!enters) return { flow_id: id, enters, path: [], effects: [], status: 'not_entered', reason: null };
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
    if (!(await facts.load(db))) return { flow_id: id, enters, ...found };
  }
}

async function holds(
  db: Queryable,
  conditions: RuleGroup,
  { data, contact, facts }: { data: object; contact: RunContact; facts: Facts },
  now: Date,
): Promise<boolean> {
  facts.require(contact.contact_id, conditions);
  await facts.load(db);
  const history = (rule: Rule): boolean => facts.holds(contact.contact_id, rule);
  return evaluateRules(conditions, { event: data, contact, history }, now);
}

/** The contact by its id with the fields of `contact` over it, or an imaginary one. */
async function contactOf(db: Queryable, companyId: number, input: TestBody): Promise<RunContact> {
  const { contact_id: id = 0, contact = {} } = input;
  const nobody: RunContact = { contact_id: 0, tags: [], properties: {}, lists: [] };
  const known = id === 0 ? nobody : (await loadContacts(db, companyId, [id])).get(id);
  if (known === undefined) throw invalidField('contact_id', `contact_id names no contact: ${id}`, 'not_found');
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
