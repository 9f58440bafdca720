import type { TextKey } from '../../../i18n/i18n.ts';
import type { Config, StepType } from '../model/draft.ts';

/** The kind of input for a field of a step's configuration. */
export type InputKind =
  | 'text'
  | 'long'
  | 'code'
  | 'number'
  | 'switch'
  | 'clock'
  | 'zone'
  | 'event'
  | 'template'
  | 'list'
  | 'flow'
  | 'unit'
  | 'method'
  | 'since'
  | 'weekdays'
  | 'words'
  | 'duration'
  | 'rules'
  | 'paths'
  | 'variants'
  | 'headers'
  | 'pairs';

export interface StepField<Name extends string = string> {
  name: Name;
  label: TextKey;
  input: InputKind;
  help?: TextKey;
  required?: true;
  half?: true;
  when?(config: Record<string, unknown>): boolean;
}

const ownContent = (config: Record<string, unknown>): boolean => config.template_id === undefined;
const TRANSACTIONAL = {
  name: 'transactional',
  label: 'flow.transactional',
  input: 'switch',
  help: 'flow.transactional.help',
} as const;
const TAG = [{ name: 'tag', label: 'contact.tag', input: 'text', required: true }] as const;
const LIST = [{ name: 'list_id', label: 'builder.list', input: 'list', required: true }] as const;
export const EVENT = { name: 'event_type', label: 'flow.event_type', input: 'event', required: true } as const;
const CONDITIONS = {
  name: 'conditions',
  label: 'builder.conditions',
  input: 'rules',
} as const;
const SAME = { name: 'same', label: 'builder.same', input: 'words', help: 'builder.same.help' } as const;

/** The panel's fields for each step type: names that the API does not have do not compile. */
export const FORMS: { readonly [T in StepType]: readonly StepField<keyof Config<T> & string>[] } = {
  send_email: [
    { name: 'template_id', label: 'builder.template', input: 'template' },
    { name: 'subject', label: 'template.subject', input: 'text' },
    { name: 'preview_text', label: 'template.preview_text', input: 'text' },
    { name: 'from', label: 'campaign.from', input: 'text', help: 'campaign.from.help' },
    { name: 'content', label: 'template.content', input: 'code', help: 'template.content.help', when: ownContent },
    TRANSACTIONAL,
  ],
  send_sms: [{ name: 'content', label: 'template.content', input: 'long', required: true }, TRANSACTIONAL],
  webhook: [
    { name: 'url', label: 'webhooks.url', input: 'text', required: true },
    { name: 'method', label: 'builder.method', input: 'method', half: true },
    { name: 'save_as', label: 'builder.save_as', input: 'text', half: true, help: 'builder.save_as.help' },
    { name: 'headers', label: 'builder.headers', input: 'headers' },
    { name: 'body', label: 'builder.body', input: 'pairs', help: 'builder.body.help' },
  ],
  delay: [
    { name: 'value', label: 'flow.duration', input: 'number', required: true, half: true },
    { name: 'unit', label: 'flow.unit', input: 'unit', half: true },
  ],
  wait_until: [
    { name: 'time', label: 'builder.time', input: 'clock', half: true },
    { name: 'timezone', label: 'builder.timezone', input: 'zone', half: true },
    { name: 'weekdays', label: 'builder.weekdays', input: 'weekdays' },
    { name: 'date_field', label: 'builder.date_field', input: 'text', help: 'builder.date_field.help' },
    { name: 'yearly', label: 'builder.yearly', input: 'switch', help: 'builder.yearly.help' },
    { name: 'offset', label: 'builder.offset', input: 'duration', help: 'builder.offset.help' },
  ],
  wait_for_event: [
    EVENT,
    { name: 'timeout', label: 'builder.timeout', input: 'duration', help: 'builder.timeout.help' },
    { name: 'since', label: 'builder.since', input: 'since' },
    SAME,
    CONDITIONS,
  ],
  branch: [{ name: 'paths', label: 'builder.paths', input: 'paths', required: true }],
  split: [{ name: 'variants', label: 'builder.variants', input: 'variants', required: true }],
  update_contact: [
    { name: 'first_name', label: 'field.first_name', input: 'text', half: true },
    { name: 'last_name', label: 'field.last_name', input: 'text', half: true },
    { name: 'properties', label: 'builder.properties', input: 'pairs' },
  ],
  add_tag: TAG,
  remove_tag: TAG,
  add_to_list: LIST,
  remove_from_list: LIST,
  track_event: [EVENT, { name: 'event_data', label: 'builder.event_data', input: 'pairs' }],
  start_flow: [{ name: 'flow_id', label: 'builder.flow', input: 'flow', required: true }],
  notify: [{ name: 'message', label: 'flow.message', input: 'long', required: true }],
  goal: [EVENT, SAME, CONDITIONS],
  exit: [{ name: 'reason', label: 'field.reason', input: 'text' }],
};
