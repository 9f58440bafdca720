/** How long a kind of data is kept: its setting, in months or days, and the bounds of that. */
export interface RetentionKind {
  /** The setting's name, which says its unit. */
  setting: RetentionSetting;
  unit: 'months' | 'days';
  default: number;
  /** Ensures that nothing is removed that the program itself still needs. */
  minimum: number;
  maximum: number;
  description: string;
}

export const RETENTION_SETTINGS = [
  'events_months',
  'messages_months',
  'contact_activity_months',
  'flow_runs_months',
  'flow_log_days',
  'carts_days',
  'mailbox_days',
  'webhook_deliveries_days',
  'requests_days',
] as const;
export type RetentionSetting = (typeof RETENTION_SETTINGS)[number];

export const KINDS = [
  'events',
  'messages',
  'contact_activity',
  'flow_runs',
  'flow_log',
  'carts',
  'mailbox',
  'webhook_deliveries',
  'requests',
] as const;
export type Kind = (typeof KINDS)[number];

export const RETENTION: Record<Kind, RetentionKind> = {
  events: {
    setting: 'events_months',
    unit: 'months',
    default: 25,
    // Keys that recognise duplicates live for a week at most.
    minimum: 3,
    maximum: 240,
    description: 'Events of contacts, removed by whole months (UTC). Their totals in segments are kept',
  },
  messages: {
    setting: 'messages_months',
    unit: 'months',
    default: 13,
    // "Less often" and the attribution of orders look back for 90 days.
    minimum: 4,
    maximum: 240,
    description: 'Settled messages with opens, clicks and hold-outs. Reports of campaigns and flows are kept',
  },
  contact_activity: {
    setting: 'contact_activity_months',
    unit: 'months',
    default: 13,
    minimum: 1,
    maximum: 240,
    description: 'Changes of status, lists and preferences in timelines. Consents and merges are kept',
  },
  flow_runs: {
    setting: 'flow_runs_months',
    unit: 'months',
    default: 13,
    minimum: 3,
    maximum: 240,
    description: 'Runs of flows that ended, and notifications. Statistics and limits on re-entry stay',
  },
  flow_log: {
    setting: 'flow_log_days',
    unit: 'days',
    default: 90,
    minimum: 1,
    maximum: 7_300,
    description: 'What each run did, after its end',
  },
  carts: {
    setting: 'carts_days',
    unit: 'days',
    default: 90,
    minimum: 7,
    maximum: 3_650,
    description:
      'Carts since their last change, and calls to payment services since they ended; the orders that were placed are kept',
  },
  mailbox: {
    setting: 'mailbox_days',
    unit: 'days',
    default: 30,
    minimum: 1,
    maximum: 7_300,
    description: 'Messages of the built-in mailbox',
  },
  webhook_deliveries: {
    setting: 'webhook_deliveries_days',
    unit: 'days',
    default: 30,
    minimum: 1,
    maximum: 7_300,
    description: 'Deliveries of webhooks that ended',
  },
  requests: {
    setting: 'requests_days',
    unit: 'days',
    default: 14,
    minimum: 1,
    maximum: 90,
    description: 'Requests of API keys, of which about the latest 20,000 are kept',
  },
};
