import type { Queryable } from '../../../db/pool.ts';
import { loadContacts } from '../../contacts/service.ts';
import type { StoredEvent } from '../../events/event.ts';
import { evaluateRules } from '../../rules/evaluate.ts';
import { createFacts } from '../../rules/facts.ts';
import type { Rule } from '../../rules/language.ts';
import type { TriggeredFlow } from './queries.ts';

/** The candidates whose trigger conditions are met. Contacts are read only if conditions use them. */
export async function matchingOf<E extends Pick<StoredEvent, 'contact_id' | 'data'>>(
  db: Queryable,
  companyId: number,
  candidates: { flow: TriggeredFlow; event: E }[],
  now: Date,
): Promise<{ flow: TriggeredFlow; event: E }[]> {
  const asked = new Set(candidates.filter((c) => c.flow.asksContact).map((c) => c.event.contact_id));
  const contacts = await loadContacts(db, companyId, [...asked]);
  const facts = createFacts(companyId, now);
  for (const { flow, event } of candidates) {
    if (flow.conditions !== null) facts.require(event.contact_id, flow.conditions);
  }
  await facts.load(db);
  return candidates.filter(({ flow: { conditions }, event }) => {
    if (conditions === null) return true;
    const contact = contacts.get(event.contact_id) ?? null;
    const history = (rule: Rule): boolean => facts.holds(event.contact_id, rule);
    return evaluateRules(conditions, { event: event.data, contact, history }, now);
  });
}
