import type { Tx } from '../../../db/pool.ts';
import type { FieldError } from '../../../errors.ts';
import { findListSettings } from '../../lists/service.ts';
import { HAS_LIQUID } from '../execution/webhooks/request.ts';
import { findMailTemplates, flowStatuses } from '../queries.ts';
import type { Definition } from './definition.ts';
import { referencesOf } from './references.ts';

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
  const [types, lists, templates, flows] = await Promise.all([
    Promise.all([...eventTypes.keys()].map(async (type) => [type, await knowsType(companyId, type)] as const)),
    listIds.size === 0 ? [] : findListSettings(tx, companyId, [...listIds.keys()]),
    findMailTemplates(tx, companyId, [...templateIds.keys()]),
    flowStatuses(tx, companyId, [...flowIds.keys()]),
  ]);
  return [
    ...missing(eventTypes, new Set(types.filter(([, known]) => known).map(([type]) => type)), 'event type'),
    ...missing(listIds, new Set(lists.map((list) => list.id)), 'list'),
    ...missing(templateIds, templates, 'template of e-mails'),
    ...withoutSubject(definition, templates),
    ...missing(flowIds, flows, 'flow'),
  ];
}

/** Errors for e-mail steps without a subject, of their own or of their template: they could not be sent. */
function withoutSubject({ steps }: Definition, templates: Map<number, { hasSubject: boolean }>): FieldError[] {
  return steps.flatMap(({ type, config = {} }, i): FieldError[] => {
    if (type !== 'send_email' || config.subject !== undefined) return [];
    if (templates.get(config.template_id as number)?.hasSubject !== false) return [];
    const field = `steps.${i}.config.subject`;
    return [{ field, code: 'required', message: `${field} is required: its template brings none` }];
  });
}

/** Errors for webhook URLs that are never allowed. URLs with Liquid are checked when they are called. */
export function checkUrls({ steps }: Definition, whyRefused: (url: string) => string | null): FieldError[] {
  return steps.flatMap(({ type, config }, i): FieldError[] => {
    const url = type === 'webhook' ? String(config?.url) : null;
    if (url === null || HAS_LIQUID.test(url)) return [];
    const field = `steps.${i}.config.url`;
    const reason = whyRefused(url);
    return reason === null ? [] : [{ field, code: 'not_allowed', message: `${field}: ${reason}` }];
  });
}

function missing<K>(named: Map<K, string>, known: { has(name: K): boolean }, noun: string): FieldError[] {
  return [...named]
    .filter(([name]) => !known.has(name))
    .map(([name, field]) => ({ field, code: 'not_found', message: `${field} names no ${noun}: ${name}` }));
}
