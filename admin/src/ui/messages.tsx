import { CloseButton } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { ApiError, type FieldError } from '../api/errors.ts';
import { t, tIf } from '../i18n/i18n.ts';
import { Icon } from './Icon.tsx';
import css from './messages.module.css';

interface Message {
  id: number;
  text: string;
  bad: boolean;
}

const SHOWN_MS = 6_000;
let messages: readonly Message[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function set(next: readonly Message[]): void {
  messages = next;
  for (const listener of listeners) listener();
}

function dismiss(id: number): void {
  set(messages.filter((one) => one.id !== id));
}

/** Shows a message for a few seconds; an error stays until it is closed. */
export function say(text: string, bad = false): void {
  const id = nextId++;
  set([...messages.slice(-3), { id, text, bad }]);
  if (!bad) setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Returns the text of an error for the person. */
export function textOf(error: unknown): string {
  if (!(error instanceof ApiError)) return t('error.unexpected');
  if (error.code === 'passkey_declined') return t('passkey.declined');
  if (error.status === 0) return t('error.offline');
  if (error.code === 'confirmation_required') return t('error.unconfirmed');
  if (error.status === 403) return t('error.forbidden');
  if (error.status === 429) return t('error.busy');
  if (error.status >= 500) return t('error.server');
  return error.message;
}

/** Returns the text of an error at its field: in the person's words where the server names the problem, else in the API's. */
export function fieldText({ message, code, params }: FieldError): string {
  return (code !== undefined && params !== undefined && tIf(`problem.${code}`, params)) || message;
}

/** Returns the text of the first error at the field. */
export function textAt(errors: readonly FieldError[], field: string): string | undefined {
  const found = errors.find((one) => one.field === field);
  return found && fieldText(found);
}

export function sayError(error: unknown): void {
  say(textOf(error), true);
}

export function Messages() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => messages,
  );
  return (
    <div className={`${css.place} no-print`} role="status" aria-live="polite">
      {shown.map(({ id, text, bad }) => (
        <div key={id} className={css.message} data-bad={bad || undefined}>
          <Icon name={bad ? 'alert-triangle' : 'check'} />
          <span className="grow break">{text}</span>
          <CloseButton size="sm" aria-label={t('action.close')} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
