import type { Config, Step } from '../definition/steps.ts';
import type { Decision } from './decision.ts';
import type { Effect, Run } from './run.ts';

/** Maximum length of a chain of flows that start each other, directly or through events. */
export const MAX_HOPS = 10;
/** Decides steps that cause one effect and are left at once. */
export function decideAction(
  step: Step & {
    type:
      | 'update_contact'
      | 'add_tag'
      | 'remove_tag'
      | 'add_to_list'
      | 'remove_from_list'
      | 'track_event'
      | 'start_flow'
      | 'notify';
  },
  run: Run,
  visit: number,
): Decision {
  const stepId = step.step_id;
  const leave = (effect: Effect): Decision => ({ kind: 'leave', branch: 'default', effects: [effect] });
  switch (step.type) {
    case 'update_contact':
      return leave({ kind: 'contact', change: { set: fieldsOf(step.config) } });
    case 'add_tag':
      return leave({ kind: 'contact', change: { addTags: [step.config.tag] } });
    case 'remove_tag':
      return leave({ kind: 'contact', change: { removeTags: [step.config.tag] } });
    case 'add_to_list':
    case 'remove_from_list': {
      const action = step.type === 'add_to_list' ? 'add' : 'remove';
      const effect: Effect = { kind: 'membership', listId: step.config.list_id, action };
      // Whether the contact joins depends on the list, so the contact is read again for the next step.
      return { kind: 'leave', branch: 'default', effects: [effect], reload: true };
    }
    case 'track_event': {
      const { event_type: eventType, event_data: data = {} } = step.config;
      const hops = nextHop(run);
      return leave({ kind: 'event', stepId, visit, eventType, data: { ...data, flow_hops: hops } });
    }
    case 'start_flow':
      return leave({ kind: 'start', stepId, flowId: step.config.flow_id, hops: nextHop(run) });
    case 'notify':
      return leave({ kind: 'notification', stepId, message: step.config.message });
  }
}

/** The fields to change; a configuration may contain others. */
function fieldsOf({ first_name, last_name, properties }: Config<'update_contact'>): Config<'update_contact'> {
  return {
    ...(first_name === undefined ? {} : { first_name }),
    ...(last_name === undefined ? {} : { last_name }),
    ...(properties === undefined ? {} : { properties }),
  };
}

function nextHop(run: Run): number {
  if (run.state.hops >= MAX_HOPS) throw new Error(`Flows start each other more than ${MAX_HOPS} times in a row`);
  return run.state.hops + 1;
}
