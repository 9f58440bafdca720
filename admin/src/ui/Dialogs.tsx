import { Button, Modal, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, useState, useSyncExternalStore } from 'react';
import { accountApi } from '../api/account.ts';
import { ok } from '../api/client.ts';
import { confirmByPasskey, passkeysPossible } from '../api/passkeys.ts';
import { hooks } from '../api/transport.ts';
import { useSession } from '../app/session.tsx';
import { t } from '../i18n/i18n.ts';
import { DialogActions } from './DialogActions.tsx';
import { textOf } from './messages.tsx';

interface Question {
  id: number;
  kind: 'question' | 'password';
  title: string;
  text: string;
  action: string;
  /** Text to be typed before the action is enabled. */
  typed: string | null;
  settle(yes: boolean): void;
}

/** Questions are asked one after the other: none replaces another, whose promise would never settle. */
let questions: readonly Question[] = [];
let nextId = 1;
const listeners = new Set<() => void>();
function set(next: readonly Question[]): void {
  questions = next;
  for (const listener of listeners) listener();
}

function settled(question: Omit<Question, 'settle' | 'id'>): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (yes: boolean): void => {
      set(questions.filter((one) => one !== asked));
      resolve(yes);
    };
    const asked = { ...question, id: nextId++, settle };
    set([...questions, asked]);
  });
}

/** Requests a confirmation before something that cannot be undone; with `typed`, its name has to be typed. */
export function ask(question: { title: string; text: string; action: string; typed?: string }): Promise<boolean> {
  return settled({ kind: 'question', typed: null, ...question });
}

let confirming: Promise<boolean> | null = null;
/** Concurrent requests that need the password share one question. */
hooks.confirm = () => {
  confirming ??= settled({
    kind: 'password',
    title: t('confirm.password.title'),
    text: t('confirm.password.text'),
    action: t('action.continue'),
    typed: null,
  }).finally(() => {
    confirming = null;
  });
  return confirming;
};

/** The one place where questions appear. */
export function Dialogs() {
  const question = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => questions[0] ?? null,
  );
  if (question === null) return null;
  return (
    <Modal
      key={question.id}
      opened
      onClose={() => question.settle(false)}
      title={question.title}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      {question.kind === 'password' ? <PasswordQuestion {...question} /> : <PlainQuestion {...question} />}
    </Modal>
  );
}

function PlainQuestion({ text, action, typed, settle }: Question) {
  const [given, setGiven] = useState('');
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        settle(true);
      }}
    >
      <p className="break">{text}</p>
      {typed === null ? null : (
        <TextInput
          label={t('confirm.type', { name: typed })}
          value={given}
          onChange={(event) => setGiven(event.currentTarget.value)}
          data-autofocus
          autoComplete="off"
        />
      )}
      <DialogActions
        submit={action}
        onCancel={() => settle(false)}
        color="red"
        disabled={typed !== null && given.trim() !== typed}
      />
    </form>
  );
}

function PasswordQuestion({ text, action, settle }: Question) {
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const person = useSession().data?.person;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await ok(accountApi.POST('/session/confirm', { body: { password } }));
      settle(true);
    } catch (failure) {
      setError(textOf(failure));
    }
  };
  const byPasskey = async (): Promise<void> => {
    try {
      await confirmByPasskey();
      settle(true);
    } catch (failure) {
      setError(textOf(failure));
    }
  };
  return (
    <form className="stack" onSubmit={submit}>
      <p>{text}</p>
      <PasswordInput
        label={t('field.password')}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={error}
        autoComplete="current-password"
        data-autofocus
        visibilityToggleButtonProps={{ 'aria-label': t('action.show_password') }}
      />
      {person?.passkeys && passkeysPossible() ? (
        <Button variant="default" onClick={() => void byPasskey()}>
          {t('confirm.passkey')}
        </Button>
      ) : null}
      <DialogActions submit={action} onCancel={() => settle(false)} disabled={password === ''} />
    </form>
  );
}
