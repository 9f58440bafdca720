/** The workers of the program, by the names that logs, the command line and `wake` know them by. */
export const WORKER_NAMES = [
  'chores',
  'outbox',
  'webhook-deliveries',
  'renewals',
  'sender',
  'confirmations',
  'campaign-audiences',
  'campaigns',
  'list-purger',
  'erasures',
  'flows',
  'flow-stats',
  'flow-webhooks',
] as const;

export type WorkerName = (typeof WORKER_NAMES)[number];

/** Tells this process's worker of that name that something may be due; those of other processes find it by themselves. */
export type Wake = (worker: WorkerName) => void;
