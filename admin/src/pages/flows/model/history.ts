import { type Draft, isEqual } from './draft.ts';

/** Undo history: earlier drafts, and undone ones. Drafts are immutable, so each is kept as it is. */
export interface History {
  readonly past: readonly Draft[];
  readonly present: Draft;
  readonly future: readonly Draft[];
  /** What the last edit was of; the next edit of the same continues it, like the letters of a word. */
  readonly typing: string | null;
}

const MOST = 200;

export function historyOf(draft: Draft): History {
  return { past: [], present: draft, future: [], typing: null };
}

export function edited(history: History, next: Draft, typing: string | null = null): History {
  const { past, present } = history;
  if (isEqual(next, present)) return history;
  const goesOn = typing !== null && typing === history.typing;
  return { past: goesOn ? past : [...past, present].slice(-MOST), present: next, future: [], typing };
}

export function undone(history: History): History {
  const { past, present, future } = history;
  const before = past.at(-1);
  return before === undefined
    ? history
    : { past: past.slice(0, -1), present: before, future: [present, ...future], typing: null };
}

export function redone(history: History): History {
  const [next, ...future] = history.future;
  return next === undefined
    ? history
    : { past: [...history.past, history.present], present: next, future, typing: null };
}
