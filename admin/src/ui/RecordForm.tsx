import { Button, NativeSelect, PasswordInput, Switch, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/errors.ts';
import { useGo } from '../app/nav.ts';
import { useShop } from '../app/session.tsx';
import { t } from '../i18n/i18n.ts';
import { Section } from './DetailPage.tsx';
import { say, textOf } from './messages.tsx';
import css from './RecordForm.module.css';

/** A field's value as it is typed. */
export type Value = string | boolean;
export type Values = Record<string, Value>;

export interface Field {
  /** The name in the API, at which its errors are shown. */
  name: string;
  label: string;
  type:
    | 'text'
    | 'email'
    | 'long'
    | 'number'
    | 'money'
    | 'switch'
    | 'choice'
    | 'words'
    | 'day'
    | 'moment'
    | 'password'
    | 'url';
  choices?: { value: string; label: string }[];
  required?: true;
  help?: string;
  /** Left out, and not sent, unless. */
  when?(values: Values): boolean;
  /** Half of the row. */
  half?: true;
}

export interface FieldGroup {
  title: string;
  fields: Field[];
}

interface RecordFormProps {
  /** Names the draft that survives a reload; one for each record. */
  draft: string;
  groups: FieldGroup[];
  initial: Values;
  /** Sends what changed; errors of fields appear at them. May return where to go next. */
  save(body: Record<string, unknown>, values: Values): Promise<unknown>;
  /** Sends every field, not only those that changed: a new record. */
  whole?: true;
  done: { path?: string; text: string };
  cancel?: string;
  submit: string;
  /** Shown, not changed: the role does not allow it. */
  readOnly?: boolean;
  /** The form's field for a field of the API, where they differ. */
  fieldOf?(name: string, values: Values): string;
  children?: ReactNode;
}

/** A form over the fields of an endpoint. What was typed is kept in the tab until it is saved. */
export function RecordForm(props: RecordFormProps) {
  const { company } = useShop();
  const client = useQueryClient();
  const go = useGo();
  const kept = `draft-${company.id}-${props.draft}`;
  const [values, setValues] = useState<Values>(() => ({ ...props.initial, ...readDraft(kept) }));
  const [restored, setRestored] = useState(() => sessionStorage.getItem(kept) !== null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const fields = props.groups.flatMap((group) => group.fields).filter((field) => field.when?.(values) ?? true);
  const changed = fields.filter(({ name }) => values[name] !== props.initial[name]);
  const dirty = useRef(false);
  dirty.current = changed.length > 0;

  useBlocker({
    shouldBlockFn: () => dirty.current && !window.confirm(t('form.leave')),
    enableBeforeUnload: false,
  });
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);

  const set = (name: string, value: Value): void => {
    const next = { ...values, [name]: value };
    setValues(next);
    const typed = Object.entries(next).filter(([key, one]) => one !== props.initial[key] && !isSecret(fields, key));
    if (typed.length === 0) sessionStorage.removeItem(kept);
    else sessionStorage.setItem(kept, JSON.stringify(Object.fromEntries(typed)));
  };
  const discard = (): void => {
    sessionStorage.removeItem(kept);
    setValues(props.initial);
    setRestored(false);
    setError(null);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    const sent = props.whole ? fields.filter(({ name }) => values[name] !== '') : changed;
    try {
      const body = Object.fromEntries(sent.map((field) => [field.name, bodyValue(field, values[field.name] ?? '')]));
      const next = await props.save(body, values);
      sessionStorage.removeItem(kept);
      dirty.current = false;
      await client.invalidateQueries({ queryKey: [company.id] });
      say(props.done.text);
      setRestored(false);
      if (typeof next === 'function') next();
      else if (props.done.path !== undefined) go(props.done.path, { replace: true });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const names = new Set(fields.map(({ name }) => name));
  const errors = (error instanceof ApiError ? error.fields : []).map(({ field, message }) => {
    const root = rootOf(field);
    return { field: props.fieldOf?.(root, values) ?? root, message };
  });
  const elsewhere = errors.filter(({ field }) => !names.has(field));

  return (
    <form ref={form} onSubmit={submit} className={css.form} noValidate>
      {restored ? (
        <div className={css.restored} role="status">
          <span className="grow">{t('form.restored')}</span>
          <Button size="xs" variant="default" onClick={discard}>
            {t('form.discard')}
          </Button>
        </div>
      ) : null}
      {error !== null && (errors.length === 0 || elsewhere.length > 0) ? (
        <p role="alert" className={css.problem}>
          {elsewhere.length > 0 ? elsewhere.map(({ message }) => message).join('; ') : textOf(error)}
        </p>
      ) : null}
      <fieldset className={css.groups} disabled={props.readOnly}>
        {props.groups.map((group) => (
          <Section key={group.title} title={group.title}>
            <div className={css.fields}>
              {group.fields
                .filter((field) => field.when?.(values) ?? true)
                .map((field) => (
                  <div key={field.name} data-half={field.half}>
                    <Input
                      field={field}
                      value={values[field.name] ?? ''}
                      error={errors.find((one) => one.field === field.name)?.message}
                      onChange={(value) => set(field.name, value)}
                      currency={company.currency}
                    />
                  </div>
                ))}
            </div>
          </Section>
        ))}
      </fieldset>
      {props.children}
      {props.readOnly ? null : (
        <div className={css.foot}>
          {props.cancel === undefined ? null : (
            <Button
              variant="default"
              onClick={() => {
                const path = props.cancel ?? '';
                if (dirty.current && !window.confirm(t('form.leave'))) return;
                dirty.current = false;
                sessionStorage.removeItem(kept);
                go(path);
              }}
            >
              {t('action.cancel')}
            </Button>
          )}
          <Button type="submit" loading={busy} disabled={!props.whole && changed.length === 0}>
            {props.submit}
          </Button>
        </div>
      )}
    </form>
  );
}

function readDraft(key: string): Values {
  const kept = sessionStorage.getItem(key);
  return kept === null ? {} : (JSON.parse(kept) as Values);
}

/** `categories[0]` and `/images/1/url` belong to the field before. */
function rootOf(field: string): string {
  return /^[/.]?(\w+)/.exec(field)?.[1] ?? field;
}

function isSecret(fields: Field[], name: string): boolean {
  return fields.some((field) => field.name === name && field.type === 'password');
}

/** What is typed, as the API takes it: an empty field is null, or no words. */
function bodyValue({ type }: Field, value: Value): unknown {
  if (typeof value === 'boolean') return value;
  const text = value.trim();
  if (type === 'words') return wordsOf(text);
  if (text === '') return type === 'long' ? '' : null;
  if (type === 'number' || type === 'money') return numberOf(text);
  if (type === 'moment') return new Date(text).toISOString();
  return type === 'password' ? value : text;
}

/** One a line, or with commas between. */
export function wordsOf(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** `12.50` and `12,50` alike; what is no number goes to the server as it is, which says so at the field. */
export function numberOf(text: string): number | string {
  const plain = text.replace(/\s/g, '').replace(/^(-?\d+),(\d+)$/, '$1.$2');
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : text;
}

/** A moment of the API as the browser's field shows it: the viewer's own time. */
export function localMoment(iso: string | null): string {
  if (iso === null) return '';
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface InputProps {
  field: Field;
  value: Value;
  error: string | undefined;
  currency: string;
  onChange(value: Value): void;
}

function Input({ field, value, error, currency, onChange }: InputProps) {
  const { label, type, help, required, choices = [] } = field;
  const text = String(value);
  const common = { label, description: help, error, required, name: field.name };
  const onText = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
  switch (type) {
    case 'switch':
      return (
        <Switch
          label={label}
          description={help}
          error={error}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'choice':
      return <NativeSelect {...common} data={choices} value={text} onChange={onText} />;
    case 'long':
    case 'words':
      return <Textarea {...common} rows={type === 'long' ? 5 : 2} value={text} onChange={onText} />;
    case 'password':
      return (
        <PasswordInput
          {...common}
          autoComplete="new-password"
          value={text}
          onChange={onText}
          visibilityToggleButtonProps={{ 'aria-label': t('action.show_password') }}
        />
      );
    case 'money':
    case 'number':
      return (
        <TextInput
          {...common}
          inputMode="decimal"
          autoComplete="off"
          rightSection={type === 'money' ? <span className={css.unit}>{currency}</span> : undefined}
          rightSectionWidth={type === 'money' ? 48 : undefined}
          value={text}
          onChange={onText}
        />
      );
    default: {
      const types: Record<string, string> = { day: 'date', moment: 'datetime-local', email: 'email', url: 'url' };
      return <TextInput {...common} type={types[type] ?? 'text'} autoComplete="off" value={text} onChange={onText} />;
    }
  }
}
