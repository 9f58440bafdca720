import type { Tx } from '../../../db/pool.ts';
import type { FieldError } from '../../../errors.ts';
import { type KnownProblem, problem, wrong } from '../../../lib/validation/problems.ts';
import { findListSettings } from '../../lists/service.ts';
import { holdSegment } from '../../segments/service.ts';
import { HAS_LIQUID } from '../execution/webhooks/request.ts';
import { findMailTemplates, flowStatuses } from '../queries.ts';
import { referencesOf } from './check.ts';
import type { Definition } from './definition.ts';

/** Whether the company has the event type, built-in or registered. */
export type KnowsType = (companyId: number, eventType: string) => Promise<boolean>;

/** Errors for event types, lists, templates and flows that the company does not have. */
export async function checkReferences(
  tx: Tx,
  companyId: number,
  definition: Definition,
  knowsType: KnowsType,
): Promise<FieldError[]> {
  const { eventTypes, listIds, templateIds, flowIds } = referencesOf(definition);
  const segmentId = definition.trigger_settings?.segment_id;
  const [types, lists, templates, flows, hasSegment] = await Promise.all([
    Promise.all([...eventTypes.keys()].map(async (type) => [type, await knowsType(companyId, type)] as const)),
    listIds.size === 0 ? [] : findListSettings(tx, companyId, [...listIds.keys()]),
    findMailTemplates(tx, companyId, [...templateIds.keys()]),
    flowStatuses(tx, companyId, [...flowIds.keys()]),
    segmentId === undefined || holdSegment(tx, companyId, segmentId),
  ]);
  return [
    ...missing(eventTypes, new Set(types.filter(([, known]) => known).map(([type]) => type)), 'no_event_type'),
    ...missing(listIds, new Set(lists.map((list) => list.id)), 'no_list'),
    ...missing(templateIds, templates, 'no_template'),
    ...withoutSubject(definition, templates),
    ...missing(flowIds, flows, 'no_flow'),
    ...(hasSegment
      ? []
      : [wrong('trigger_settings.segment_id', problem('no_segment', { name: String(segmentId) }), 'not_found')]),
  ];
}

/** Errors for e-mail steps that have no subject and whose template has none: they could not be sent. */
function withoutSubject({ steps }: Definition, templates: Map<number, { hasSubject: boolean }>): FieldError[] {
  return steps.flatMap(({ type, config = {} }, i): FieldError[] => {
    if (type !== 'send_email' || config.subject !== undefined) return [];
    if (templates.get(config.template_id as number)?.hasSubject !== false) return [];
    return [wrong(`steps.${i}.config.subject`, problem('no_subject'), 'required')];
  });
}

/** Errors for webhook URLs that are never allowed. URLs with Liquid are checked when they are called. */
export function checkUrls({ steps }: Definition, whyRefused: (url: string) => string | null): FieldError[] {
  return steps.flatMap(({ type, config }, i): FieldError[] => {
    const url = type === 'webhook' ? String(config?.url) : null;
    if (url === null || HAS_LIQUID.test(url)) return [];
    const reason = whyRefused(url);
    return reason === null ? [] : [wrong(`steps.${i}.config.url`, problem('refused_url', { reason }), 'not_allowed')];
  });
}

function missing<K>(named: Map<K, string>, known: { has(name: K): boolean }, code: KnownProblem['code']): FieldError[] {
  return [...named]
    .filter(([name]) => !known.has(name))
    .map(([name, field]) => wrong(field, problem(code, { name: String(name) }), 'not_found'));
}
