import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { accountApi, type Link, type Session } from '../api/account.ts';
import { ok } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { passkeysPossible, signInByPasskey } from '../api/passkeys.ts';
import type { Language } from '../i18n/catalogues.ts';
import { language, t } from '../i18n/i18n.ts';
import { Messages, textAt, textOf } from '../ui/messages.tsx';
import { Waiting } from '../ui/states.tsx';
import css from './SignIn.module.css';
import { SESSION } from './session.tsx';

/** Sign-in by password, or by a link: the first link sets up the owner. */
export function SignIn() {
  const { token } = useSearch({ from: '/sign-in' });
  return (
    <main className={css.page}>
      <div className={css.card}>
        <svg aria-hidden="true" viewBox="0 0 32 32" width="40" height="40">
          <rect width="32" height="32" rx="8" fill="#3b5bdb" />
          <path d="M8 10h16M16 10v13M9 16l7 7 7-7" fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
        </svg>
        {token === undefined ? <WithoutLink /> : <ByLink token={token} />}
      </div>
      <Messages />
    </main>
  );
}

/** Takes over the new session and continues to where the person wanted to be. */
function useEnter(): (session: Session) => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { next } = useSearch({ from: '/sign-in' });
  return (session) => {
    client.clear();
    client.setQueryData(SESSION, session);
    void navigate({ to: next ?? '/', replace: true });
  };
}

/** The state of a form that shows errors: a text for the whole form, or one at each field. */
function useSubmit(action: () => Promise<void>) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    await action().catch(setError);
    setBusy(false);
  };
  const fieldError = (field: string): string | undefined =>
    error instanceof ApiError ? textAt(error.fields, field) : undefined;
  return { onSubmit, busy, error, fieldError };
}

function useWays() {
  return useQuery({
    queryKey: ['sign-in-ways'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => ok(accountApi.GET('/session/ways')),
  });
}

function WithoutLink() {
  const [email, setEmail] = useState('');
  const [forgotten, setForgotten] = useState(false);
  const shown = { email, setEmail, toggle: () => setForgotten(!forgotten) };
  return forgotten ? <Forgotten {...shown} /> : <ByPassword {...shown} />;
}

interface EmailForm {
  email: string;
  setEmail(email: string): void;
  /** Goes to the other form. */
  toggle(): void;
}

/** Asks for a link to choose a new password; the response is the same whether there is such an account or not. */
function Forgotten({ email, setEmail, toggle }: EmailForm) {
  const { data } = useWays();
  const [sent, setSent] = useState(false);
  const { onSubmit, busy, error } = useSubmit(async () => {
    await ok(accountApi.POST('/links', { body: { email, purpose: 'reset_password' } }));
    setSent(true);
  });
  return (
    <form className="stack" onSubmit={onSubmit}>
      <h1>{t('sign_in.forgotten')}</h1>
      {data?.mail ? (
        <>
          <p className="dim">{t('sign_in.reset.text')}</p>
          <EmailInput value={email} onChange={setEmail} />
          <Problem error={error} />
          <Button type="submit" loading={busy} size="md">
            {t('sign_in.reset.send')}
          </Button>
          <p className="dim" role="status">
            {sent ? t('sign_in.link_sent') : null}
          </p>
        </>
      ) : (
        <p>{data === undefined ? null : t('sign_in.reset.no_mail')}</p>
      )}
      <Button variant="subtle" onClick={toggle}>
        {t('sign_in.back')}
      </Button>
    </form>
  );
}

function ByPassword({ email, setEmail, toggle }: EmailForm) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [second, setSecond] = useState(false);
  const enter = useEnter();
  const { onSubmit, busy, error } = useSubmit(async () => {
    try {
      const body = { email, password, ...(code === '' ? {} : { code }) };
      enter(await ok(accountApi.POST('/session', { body })));
    } catch (failure) {
      if (!(failure instanceof ApiError) || failure.code !== 'second_factor_required' || second) throw failure;
      setSecond(true);
    }
  });
  return (
    <form className="stack" onSubmit={onSubmit}>
      <h1>{t('sign_in.title')}</h1>
      <EmailInput value={email} onChange={setEmail} />
      <Password value={password} onChange={setPassword} autoComplete="current-password" />
      {second ? <SecondFactor code={code} onChange={setCode} /> : null}
      <Problem error={error} />
      <Button type="submit" loading={busy} size="md">
        {t('action.sign_in')}
      </Button>
      <Button variant="subtle" onClick={toggle}>
        {t('sign_in.forgotten')}
      </Button>
      <OtherWays email={email} enter={enter} />
    </form>
  );
}

function SecondFactor({ code, onChange }: { code: string; onChange: (code: string) => void }) {
  return (
    <TextInput
      label={t('field.code')}
      description={t('field.code.help')}
      autoComplete="one-time-code"
      required
      withAsterisk={false}
      value={code}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A passkey where the browser supports them for this address, a link by e-mail where the server sends e-mail. */
function OtherWays({ email, enter }: { email: string; enter(session: Session): void }) {
  const { data } = useWays();
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [sent, setSent] = useState(false);
  const run = async (action: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(null);
    await action().catch(setError);
    setBusy(false);
  };
  const sendLink = async (): Promise<void> => {
    await ok(accountApi.POST('/links', { body: { email } }));
    setSent(true);
  };
  return (
    <>
      {passkeysPossible() ? (
        <Button
          variant="default"
          size="md"
          loading={busy}
          onClick={() => void run(async () => enter(await signInByPasskey()))}
        >
          {t('sign_in.passkey')}
        </Button>
      ) : null}
      {data?.mail ? (
        <Button variant="subtle" disabled={!email.includes('@') || busy} onClick={() => void run(sendLink)}>
          {t('sign_in.link')}
        </Button>
      ) : null}
      <Problem error={error} />
      <p className="dim" role="status">
        {sent ? t('sign_in.link_sent') : data?.mail ? t('sign_in.help.mail') : t('sign_in.help')}
      </p>
    </>
  );
}

function Password(props: {
  value: string;
  onChange: (value: string) => void;
  autoComplete: string;
  error?: string;
  help?: string;
}) {
  return (
    <PasswordInput
      label={t('field.password')}
      description={props.help}
      autoComplete={props.autoComplete}
      required
      withAsterisk={false}
      value={props.value}
      error={props.error}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      visibilityToggleButtonProps={{ 'aria-label': t('action.show_password'), tabIndex: 0, 'aria-hidden': false }}
    />
  );
}

function Problem({ error }: { error: unknown }): ReactNode {
  if (error === null) return null;
  const known: Record<string, string> = {
    wrong_credentials: t('sign_in.wrong'),
    second_factor_required: t('sign_in.wrong_code'),
  };
  const text = error instanceof ApiError ? (known[error.code] ?? textOf(error)) : textOf(error);
  return (
    <p role="alert" className={css.problem}>
      {text}
    </p>
  );
}

/** Stores the language in which a new account was created. */
async function inLanguage(session: Session, shown: Language): Promise<Session> {
  if (session.person.language === shown) return session;
  await ok(accountApi.PATCH('/me', { body: { language: shown } }));
  return { ...session, person: { ...session.person, language: shown } };
}

function ByLink({ token }: { token: string }) {
  const { data: link, error } = useQuery({
    queryKey: ['link', token],
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => ok(accountApi.POST('/links/look', { body: { token } })),
  });
  if (error !== null)
    return (
      <div className="stack">
        <h1>{t('link.over.title')}</h1>
        <p>{error instanceof ApiError && error.status === 401 ? t('link.over.text') : textOf(error)}</p>
        <Button component="a" href="/admin/sign-in" variant="default">
          {t('action.sign_in')}
        </Button>
      </div>
    );
  if (link === undefined) return <Waiting />;
  return <UseLink token={token} link={link} />;
}

function UseLink({ token, link }: { token: string; link: Link }) {
  const isNew = link.kind === 'owner_setup' || link.kind === 'invitation';
  const choosesPassword = isNew || link.kind === 'set_password' || link.kind === 'reset_password';
  const [email, setEmail] = useState(link.email ?? '');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [second, setSecond] = useState(false);
  const enter = useEnter();
  const { onSubmit, busy, error, fieldError } = useSubmit(async () => {
    const person = {
      ...(code === '' ? {} : { code }),
      ...(link.kind === 'owner_setup' ? { email } : {}),
      ...(isNew ? { name } : {}),
      ...(choosesPassword ? { password } : {}),
    };
    try {
      const session = await ok(accountApi.POST('/links/use', { body: { token, ...person } }));
      enter(isNew ? await inLanguage(session, language()) : session);
    } catch (failure) {
      if (!(failure instanceof ApiError) || failure.code !== 'second_factor_required' || second) throw failure;
      setSecond(true);
    }
  });
  const shown = error instanceof ApiError && error.fields.length > 0 ? null : error;
  return (
    <form className="stack" onSubmit={onSubmit}>
      <h1>{t(`link.${link.kind}.title`)}</h1>
      <p className="dim">
        {link.company === null ? null : <strong>{link.company}: </strong>}
        {t(`link.${link.kind}.text`)}
      </p>
      {isNew ? (
        <>
          <TextInput
            label={t('field.email')}
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            readOnly={link.kind === 'invitation'}
            value={email}
            error={fieldError('email')}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <TextInput
            label={t('field.your_name')}
            autoComplete="name"
            required
            withAsterisk={false}
            value={name}
            error={fieldError('name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </>
      ) : null}
      {choosesPassword ? (
        <Password
          value={password}
          onChange={setPassword}
          autoComplete="new-password"
          error={fieldError('password')}
          help={t('field.password.help')}
        />
      ) : null}
      {second ? <SecondFactor code={code} onChange={setCode} /> : null}
      <Problem error={shown} />
      <Button type="submit" loading={busy} size="md">
        {isNew ? t('action.create_account') : t('action.sign_in')}
      </Button>
    </form>
  );
}

/** Whose password is typed or forgotten; the first field of its form. */
function EmailInput({ value, onChange }: { value: string; onChange(value: string): void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <TextInput
      ref={input}
      label={t('field.email')}
      type="email"
      autoComplete="username"
      required
      withAsterisk={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
