/** The names of the workers, used by logs, the command line and `wake`. */
export const WORKER_NAMES = [
  'chores',
  'outbox',
  'webhook-deliveries',
  'renewals',
  'payments',
  'sender',
  'sending-domains',
  'confirmations',
  'campaign-audiences',
  'campaigns',
  'list-purger',
  'erasures',
  'imports',
  'picture-fetches',
  'bulk-actions',
  'flows',
  'flow-webhooks',
] as const;

export type WorkerName = (typeof WORKER_NAMES)[number];

/** Wakes this process's worker of that name, because something may be due. Workers of other processes poll. */
export type Wake = (worker: WorkerName) => void;
