import { t } from '../../i18n/i18n.ts';
import { ask } from '../Dialogs.tsx';
import type { Edits } from './edits.ts';
import type { Values } from './values.ts';

/** Whether somebody else changed one of these fields to something else since the edits here began. */
export function isContested(names: readonly string[], edits: Edits, theirs: Values): boolean {
  return names.some((name) => {
    const edit = edits[name];
    const stored = theirs[name] ?? '';
    return edit !== undefined && stored !== edit.from && stored !== edit.value;
  });
}

export function askToReplace(): Promise<boolean> {
  return ask({ title: t('form.changed.title'), text: t('form.changed.text'), action: t('form.changed.action') });
}
