import { isGroup, type Rule, type RuleGroup } from '../../rules/language.ts';
import type { Subject } from './check.ts';
import { type ContactField, parseContactField } from './fields.ts';

export interface NamedType {
  /** The path of the rule's field. */
  path: string;
  eventType: string;
}

/** The event types in the fields of rules (checked by `checkRules`). */
export function eventTypesOf(group: RuleGroup, path: string, subject: Subject): NamedType[] {
  return group.rules.flatMap((rule, i) => {
    const at = `${path}.rules.${i}`;
    if (isGroup(rule)) return eventTypesOf(rule, at, subject);
    const field = fieldOf(rule, subject);
    if (field?.kind !== 'history' || field.source.of !== 'events') return [];
    return [{ path: `${at}.field`, eventType: field.source.eventType }];
  });
}

function fieldOf({ field }: Rule, subject: Subject): ContactField | null {
  return subject === 'contact' || field.startsWith('contact.') ? parseContactField(field) : null;
}
