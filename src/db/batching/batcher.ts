/** What became of one member of a batch. */
export type Settled<Out> = { ok: true; value: Out } | { ok: false; error: unknown };

export interface BatcherOptions<In, Out> {
  /** What is batched, for measurements. */
  name?: string;
  /** Members with the same key (a company) may share a batch; others never do. */
  key: (item: In) => number;
  /**
   * Processes the whole batch in one transaction and settles each member, in order. If it throws, nothing of the batch
   * may have been committed (the transaction rolled back), except for `CommitUnknown`.
   */
  run: (key: number, items: In[]) => Promise<Settled<Out | Promise<Out>>[]>;
  /** Members of one batch at most. */
  maxSize: number;
  /** Batches in flight at once, over all keys. */
  maxInFlight: number;
  /** Batches of one key in flight at once; maxInFlight if absent. One makes the largest batches. */
  maxInFlightPerKey?: number;
  /** A caller that would wait longer is refused at once; one that has waited longer is refused then. 2 s by default. */
  maxWaitMs?: number;
  /** Callers waiting at most, half of them of one key. Beyond that, callers are refused at once. */
  maxWaiting?: number;
  /** Bytes that a member takes while it waits: the body of its request. */
  bytesOf?: (item: In) => number;
  /** Bytes waiting at most, half of them of one key; 64 MiB by default. Beyond that, callers are refused at once. */
  maxWaitingBytes?: number;
}

export interface Batcher<In, Out> {
  submit(item: In): Promise<Out>;
  /** Resolves when nothing waits or runs. */
  drained(): Promise<void>;
}
