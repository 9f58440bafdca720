import { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/i18n.ts';
import { ask } from '../Dialogs.tsx';
import type { Edits } from './edits.ts';
import type { Values } from './values.ts';

/** Those of the fields that somebody else changed to a different value since the edits here began. */
export function contestedOf(names: readonly string[], edits: Edits, theirs: Values): string[] {
  return names.filter((name) => {
    const edit = edits[name];
    const stored = theirs[name] ?? '';
    return edit !== undefined && stored !== edit.from && stored !== edit.value;
  });
}

export function askToReplace(): Promise<boolean> {
  return ask({ title: t('form.changed.title'), text: t('form.changed.text'), action: t('form.changed.action') });
}

/** Headers of a request that saves only over this revision. */
export type Over = Record<string, string>;

/** How often another save may come between reading and saving; then the server's refusal is shown. */
const TRIES = 5;

/**
 * Saves only over the revision that was compared: `read` returns what is stored now, `mayReplace` asks the person where needed, and the
 * server refuses the save if somebody else has saved since. Then it is read and compared again. Null if the person declined.
 * @throws ApiError
 */
export async function saveOver<Stored extends { revision: number }, Saved>(
  read: () => Promise<Stored>,
  mayReplace: (stored: Stored) => boolean | Promise<boolean>,
  save: (over: Over, stored: Stored) => Promise<Saved>,
): Promise<{ saved: Saved } | null> {
  for (let left = TRIES; ; left -= 1) {
    const stored = await read();
    if (!(await mayReplace(stored))) return null;
    try {
      return { saved: await save({ 'If-Match': `"${stored.revision}"` }, stored) };
    } catch (error) {
      if (left <= 1 || !(error instanceof ApiError) || error.fields.every(({ field }) => field !== 'If-Match'))
        throw error;
    }
  }
}
