/** What became of one member of a batch. */
export type Settled<Out> = { ok: true; value: Out } | { ok: false; error: unknown };

export interface BatcherOptions<In, Out> {
  /** What is batched, for measurements. */
  name?: string;
  /** Members with the same key (a company) may share a batch; others never do. */
  key: (item: In) => number;
  /**
   * Does the whole batch in one transaction and settles each member, in order. If it throws, nothing of the batch may
   * have happened (the transaction rolled back), except for `CommitUnknown`.
   */
  run: (key: number, items: In[]) => Promise<Settled<Out | Promise<Out>>[]>;
  /** Members of one batch at most. */
  maxSize: number;
  /** Batches on their way at once, over all keys. */
  maxInFlight: number;
  /** Batches of one key on their way at once; maxInFlight where absent. One makes the largest batches. */
  maxInFlightPerKey?: number;
  /** Who would wait for longer is refused at once, and who has waited for longer is refused then; 2 s. */
  maxWaitMs?: number;
  /** Callers waiting at most, and half of it of one key; beyond it they are refused at once. */
  maxWaiting?: number;
  /** What a member takes while it waits: the bytes of its request's body. */
  bytesOf?: (item: In) => number;
  /** Bytes waiting at most, and half of it of one key; 64 MiB. Beyond it callers are refused at once. */
  maxWaitingBytes?: number;
}

export interface Batcher<In, Out> {
  submit(item: In): Promise<Out>;
  /** Resolves when nothing waits or runs. */
  drained(): Promise<void>;
}
