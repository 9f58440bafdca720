/**
 * Collects the slices of a set while it is composed, so that they are passed on together: the next ones are ready when the previous ones
 * have been sent, and both go into one transaction. Collects nothing while the producers wait for memory.
 */
export interface SliceBuffer<Item> {
  /** Registers a producer of slices; call the returned function when it is done. */
  begin(): () => void;
  /** Resolves when the slice has been passed on. */
  hand(slice: Item[]): Promise<void>;
  /** Waits for something that may depend on collected slices being passed on. */
  during<T>(waiting: Promise<T>): Promise<T>;
}

export function createSliceBuffer<Item>(send: (items: Item[]) => Promise<void>): SliceBuffer<Item> {
  let making = 0;
  let waiting = 0;
  let gathered: Item[] = [];
  let next = Promise.withResolvers<void>();

  function flush(): void {
    if (gathered.length === 0) return;
    const [items, sent] = [gathered, next];
    gathered = [];
    next = Promise.withResolvers<void>();
    send(items).then(sent.resolve, sent.reject);
  }

  return {
    begin() {
      making += 1;
      return () => {
        making -= 1;
        if (making === 0) flush();
      };
    },
    hand(slice) {
      gathered.push(...slice);
      const { promise } = next;
      if (making === 0 || waiting > 0) flush();
      return promise;
    },
    async during(work) {
      waiting += 1;
      flush();
      try {
        return await work;
      } finally {
        waiting -= 1;
      }
    },
  };
}
