import { eventTypesOf } from '../../rules/references.ts';
import { conditionsOf } from './conditions.ts';
import type { Definition } from './definition.ts';

/** What a definition refers to outside of itself; each map has the path of the reference. */
export interface References {
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
