import type { Queryable } from '../../../db/pool.ts';
import { isGroup, type RuleGroup } from '../../rules/language.ts';
import type { TriggeredFlow } from './queries.ts';
import * as queries from './queries.ts';

export interface CompanyFlows {
  byTrigger: ReadonlyMap<string, TriggeredFlow[]>;
  byId: ReadonlyMap<number, TriggeredFlow>;
  /** Event types for which runs may be waiting. */
  awaited: ReadonlySet<string>;
}

export async function loadFlows(db: Queryable, companyId: number): Promise<CompanyFlows> {
  const [rows, awaited] = await Promise.all([
    queries.findTriggeredFlows(db, companyId),
    queries.findAwaitedTypes(db, companyId),
  ]);
  const flows = rows.map(({ conditions, ...row }) => ({ ...row, conditions, asksContact: asksContact(conditions) }));
  return {
    byTrigger: Map.groupBy(flows, (flow) => flow.triggerType),
    byId: new Map(flows.map((flow) => [flow.flowId, flow])),
    awaited: new Set(awaited),
  };
}

function asksContact(rules: RuleGroup | null): boolean {
  return rules?.rules.some((rule) => (isGroup(rule) ? asksContact(rule) : rule.field.startsWith('contact.'))) ?? false;
}
