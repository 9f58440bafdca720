import { useCallback, useState } from 'react';

const MOST = 100;
/** Keystrokes in one field within this time are undone together. */
const TOGETHER_MS = 1_000;

interface History<Value> {
  past: Value[];
  now: Value;
  future: Value[];
  /** The last change, and its time. */
  last: { what: string; at: number };
}

/** A value whose changes can be undone and redone. */
export function useHistory<Value>(first: Value) {
  const [history, setHistory] = useState<History<Value>>({
    past: [],
    now: first,
    future: [],
    last: { what: '', at: 0 },
  });
  const change = useCallback((what: string, next: (now: Value) => Value) => {
    setHistory((old) => {
      const now = next(old.now);
      if (now === old.now) return old;
      const at = Date.now();
      const together = what !== '' && what === old.last.what && at - old.last.at < TOGETHER_MS;
      const past = together ? old.past : [...old.past.slice(-MOST + 1), old.now];
      return { past, now, future: [], last: { what, at } };
    });
  }, []);
  const undo = useCallback(() => {
    setHistory((old) => {
      const before = old.past.at(-1);
      if (before === undefined) return old;
      return { past: old.past.slice(0, -1), now: before, future: [old.now, ...old.future], last: { what: '', at: 0 } };
    });
  }, []);
  const redo = useCallback(() => {
    setHistory((old) => {
      const [next, ...future] = old.future;
      if (next === undefined) return old;
      return { past: [...old.past, old.now], now: next, future, last: { what: '', at: 0 } };
    });
  }, []);
  const { past, now, future } = history;
  return { value: now, change, undo, redo, canUndo: past.length > 0, canRedo: future.length > 0 };
}
