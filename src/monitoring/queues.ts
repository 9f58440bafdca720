import type { WorkerName } from '../work/worker-names.ts';

/** Where the due items of a queue are, written to match its index. These are all constants: nothing comes from outside. */
export interface Queue {
  /** Each row of it is one probe of the index. */
  each: string;
  table: string;
  where: string;
  /** The time from which an item is due; null if all existing items are. */
  due: string | null;
  /** The time since which an item has waited. */
  since: string;
  /** The order that finds the oldest item, or the next one if no index has the time. */
  order: string;
  /** `kind` is doctor's name for items waiting for over ten minutes and longer than is `usual`. Absent if items may wait. */
  overdue?: { kind: string; usual?: string };
}

const TIMED = { each: 'companies c', due: 'q.due_at', order: 'q.due_at', since: 'q.due_at' };
const PRESENT = { each: 'companies c', due: null, order: 'q.id' };
/** For items that a worker holds for a limited time; if it dies, another takes over. */
const HELD_BY_NOBODY = '(q.lease_until is null or q.lease_until < clock_timestamp())';
const HOUR = "interval '1 hour'";

export const QUEUES = {
  outbox: {
    ...PRESENT,
    table: 'outbox',
    where: 'true',
    since: 'q.occurred_at',
    overdue: { kind: 'events of the shop' },
  },
  refused_events: { ...PRESENT, table: 'outbox_refusals', where: 'true', since: 'q.refused_at' },
  transactional_messages: {
    ...TIMED,
    table: 'messages',
    where: "q.lane = 0 and q.status = 'queued' and q.campaign_id is null",
    overdue: { kind: 'messages' },
  },
  flow_messages: {
    ...TIMED,
    table: 'messages',
    where: "q.lane = 1 and q.status = 'queued' and q.campaign_id is null",
    overdue: { kind: 'messages' },
  },
  campaign_messages: {
    ...TIMED,
    each: "(select company_id, id as campaign_id from campaigns where status = 'sending') c",
    table: 'messages',
    where: "q.campaign_id = c.campaign_id and q.status = 'queued'",
  },
  unknown_messages: { ...PRESENT, table: 'messages', where: "q.status = 'unknown'", since: 'q.wanted_at' },
  campaigns: {
    each: 'companies c',
    table: 'campaigns',
    where: "q.status = 'scheduled'",
    due: 'q.scheduled_at',
    since: 'q.scheduled_at',
    order: 'q.scheduled_at',
    overdue: { kind: 'starts of campaigns' },
  },
  campaign_audiences: {
    ...PRESENT,
    table: 'campaigns',
    where: "q.status = 'sending' and q.started_at is not null and q.recipients is null",
    since: 'q.started_at',
    overdue: { kind: 'recipients of a campaign', usual: HOUR },
  },
  confirmations: {
    ...PRESENT,
    table: 'list_memberships',
    where: "q.status = 'pending' and q.confirmation_queued_at is null",
    since: 'q.updated_at',
    order: 'q.list_id, q.contact_id',
    overdue: { kind: 'requests to confirm a subscription' },
  },
  list_purges: {
    ...PRESENT,
    table: 'lists',
    where:
      'q.deleted_at is not null and exists (select from list_memberships m where m.company_id = q.company_id and m.list_id = q.id)',
    since: 'q.deleted_at',
    order: 'q.deleted_at',
    overdue: { kind: 'members of deleted lists', usual: HOUR },
  },
  flow_runs: { ...TIMED, table: 'flow_runs', where: "q.status = 'active'", overdue: { kind: 'runs of flows' } },
  flow_tasks: { ...TIMED, table: 'flow_tasks', where: 'true', overdue: { kind: 'changes of many runs', usual: HOUR } },
  flow_webhooks: {
    ...TIMED,
    table: 'flow_webhook_calls',
    where: "q.status = 'pending'",
    overdue: { kind: 'webhook steps of flows' },
  },
  webhook_deliveries: {
    ...TIMED,
    table: 'webhook_deliveries',
    where: "q.status = 'pending'",
    overdue: { kind: 'webhook deliveries' },
  },
  renewals: {
    ...TIMED,
    table: 'subscriptions',
    where: 'q.due_at is not null',
    overdue: { kind: 'renewals of subscriptions' },
  },
  payment_operations: {
    ...TIMED,
    table: 'payment_operations',
    where: 'q.due_at is not null',
    overdue: { kind: 'operations at payment services' },
  },
  payment_fetches: {
    each: 'companies c',
    table: 'payments',
    where: 'q.fetch_at is not null',
    due: 'q.fetch_at',
    since: 'q.fetch_at',
    order: 'q.fetch_at',
    overdue: { kind: 'payments to be fetched from their services' },
  },
  reservations: {
    each: 'companies c',
    table: 'reservations',
    where: 'true',
    due: 'q.reserved_until',
    since: 'q.reserved_until',
    order: 'q.reserved_until',
    overdue: { kind: 'carts whose payment has timed out' },
  },
  domain_checks: {
    ...TIMED,
    table: 'sending_domains',
    where: 'true',
    overdue: { kind: 'checks of sending domains' },
  },
  imports: {
    ...PRESENT,
    table: 'imports',
    where: `q.status in ('checking', 'running', 'undoing') and ${HELD_BY_NOBODY}`,
    since: 'coalesce(q.lease_until, q.started_at, q.created_at)',
    overdue: { kind: 'imports' },
  },
  // One after the other of each company, from servers that may be slow.
  picture_fetches: {
    ...TIMED,
    table: 'picture_fetches',
    where: "q.state = 'pending'",
    overdue: { kind: 'pictures of imports', usual: "interval '1 day'" },
  },
  bulk_actions: {
    ...PRESENT,
    table: 'bulk_actions',
    where: `q.status = 'running' and ${HELD_BY_NOBODY}`,
    since: 'coalesce(q.lease_until, q.created_at)',
    overdue: { kind: 'bulk actions' },
  },
  erasures: {
    ...PRESENT,
    table: 'erasures',
    where: 'q.finished_at is null',
    since: 'q.requested_at',
    overdue: { kind: 'erasures', usual: HOUR },
  },
  // A pass over much data waits behind the one before.
  retention: {
    each: 'companies c',
    table: 'retention_progress',
    where: "q.next_at > '-infinity'",
    due: 'q.next_at',
    since: 'q.next_at',
    order: 'q.next_at',
    overdue: { kind: 'removals of old data', usual: "interval '1 day'" },
  },
} satisfies Record<string, Queue>;

export type QueueName = keyof typeof QUEUES;
export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];

/** The queues from which each worker takes its work, or why its work is not a queue whose items can be counted. */
export const QUEUES_OF_WORKERS: Readonly<Record<WorkerName, readonly QueueName[]>> = {
  chores: ['retention', 'reservations'],
  outbox: ['outbox'],
  'webhook-deliveries': ['webhook_deliveries'],
  renewals: ['renewals'],
  payments: ['payment_operations', 'payment_fetches'],
  sender: ['transactional_messages', 'flow_messages', 'campaign_messages'],
  'sending-domains': ['domain_checks'],
  confirmations: ['confirmations'],
  'campaign-audiences': ['campaign_audiences'],
  campaigns: ['campaigns', 'campaign_audiences'],
  'list-purger': ['list_purges'],
  erasures: ['erasures'],
  imports: ['imports'],
  'picture-fetches': ['picture_fetches'],
  'bulk-actions': ['bulk_actions'],
  flows: ['flow_runs', 'flow_tasks'],
  'flow-webhooks': ['flow_webhooks'],
};

/** Queues that wait for people to decide. */
export const QUEUES_OF_PEOPLE: readonly QueueName[] = ['refused_events', 'unknown_messages'];
