/**
 * Gathers the slices of a set that is being made, so that they are handed on together: what is sent next is then there when
 * something has been sent, and both go into one transaction. Gathers nothing while the makers wait for memory.
 */
export interface SliceBuffer<Item> {
  /** Registers a producer of slices; call the returned function when it is done. */
  begin(): () => void;
  /** Resolves when the slice has been handed on. */
  hand(slice: Item[]): Promise<void>;
  /** Waits for something that only those who have been handed their slices may make possible. */
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
