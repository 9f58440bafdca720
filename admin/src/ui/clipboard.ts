import { t } from '../i18n/i18n.ts';
import { say } from './messages.tsx';

/** Copies a text and confirms it. Over plain HTTP, browsers offer no clipboard except on localhost: falls back to an old command. */
export async function copyText(text: string, done = t('action.copied')): Promise<void> {
  const isCopied = (await writtenByBrowser(text)) || copiedBySelection(text);
  say(isCopied ? done : t('action.not_copied'), !isCopied);
}

/** Returns the contents of the clipboard; null where the browser does not let the page read it. */
export async function pastedText(): Promise<string | null> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  return clipboard === undefined ? null : clipboard.readText().catch(() => null);
}

function writtenByBrowser(text: string): Promise<boolean> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined) return Promise.resolve(false);
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

function copiedBySelection(text: string): boolean {
  const { activeElement } = document;
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('aria-hidden', 'true');
  area.style.position = 'fixed';
  area.style.opacity = '0';
  // Inside a dialog, which traps the focus.
  const place = activeElement?.closest('[role="dialog"]') ?? document.body;
  place.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
  return isCopied;
}
