import type { IconName } from '../../ui/Icon.tsx';
import type { StepType } from './model/draft.ts';

export const STEP_ICONS: Record<StepType, IconName> = {
  send_email: 'mailbox',
  send_sms: 'send',
  notify: 'users-group',
  webhook: 'webhook',
  delay: 'clock',
  wait_until: 'clock',
  wait_for_event: 'inbox',
  branch: 'sitemap',
  split: 'filter',
  update_contact: 'user',
  add_tag: 'ticket',
  remove_tag: 'ticket',
  add_to_list: 'list-details',
  remove_from_list: 'list-details',
  track_event: 'bolt',
  start_flow: 'repeat',
  goal: 'star',
  exit: 'logout',
};
