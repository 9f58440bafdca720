import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/errors.ts';
import { useGo } from '../app/nav.ts';
import { useShop } from '../app/session.tsx';
import { t } from '../i18n/i18n.ts';
import { Section } from './DetailPage.tsx';
import { askToReplace, isContested, type Over, saveOver } from './form/contested.ts';
import { draftKey, Restored, readDraft, useKeptDraft } from './form/drafts.tsx';
import { afterSave, type Edit, type Edits, isChanged, onlyChanged, shownValues, withEdit } from './form/edits.ts';
import { Input, refuseTwoReadings } from './form/fields.tsx';
import { bodyValue, type Field, rootOf, type Values } from './form/values.ts';
import { say, textOf } from './messages.tsx';
import css from './RecordForm.module.css';

export interface FieldGroup {
  title: string;
  fields: Field[];
}

interface RecordFormProps {
  /** Names the draft that survives a reload; one for each record. */
  draft: string;
  groups: FieldGroup[];
  initial: Values;
  /** Sends what changed, with the headers `over`; errors of fields appear at them. May return where to go next. */
  save(body: Record<string, unknown>, values: Values, over: Over): Promise<unknown>;
  /** What is stored now: asks before what somebody else saved meanwhile is replaced. */
  theirs?(): Promise<{ values: Values; revision: number }>;
  /** Sends every field, not only those that changed: a new record. */
  whole?: true;
  done: { path?: string; text: string };
  cancel?: string;
  submit: string;
  /** Shown, not changed: the role does not allow it. */
  readOnly?: boolean;
  /** The form's field for a field of the API, where they differ. */
  fieldOf?(name: string, values: Values, whole: string): string;
  /** Below the fields; a function is given what is typed. */
  children?: ReactNode | ((values: Values) => ReactNode);
}

/** A form over the fields of an endpoint. What was typed is kept in the tab until it is saved. */
export function RecordForm(props: RecordFormProps) {
  const { company } = useShop();
  const client = useQueryClient();
  const go = useGo();
  const all = props.groups.flatMap((group) => group.fields);
  const kept = draftKey(company, props.draft);
  const [first] = useState(() => readDraft<Edits>(kept) ?? {});
  const [edits, setEdits] = useState(first);
  const [restored, setRestored] = useState(Object.keys(first).length > 0);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const values = shownValues(props.initial, edits);
  const fields = all.filter((field) => field.when?.(values) ?? true);
  const changed = fields.filter((field) => isChanged(field, edits[field.name], company));
  const dirty = useRef(false);
  dirty.current = changed.length > 0;
  const open = all.filter(({ name, type }) => type !== 'password' && edits[name] !== undefined);
  const typed = open.filter((field) => isChanged(field, edits[field.name], company));
  const forget = useKeptDraft<Edits>(
    kept,
    Object.fromEntries(typed.map(({ name }) => [name, edits[name] as Edit])),
    {},
  );

  useBlocker({
    shouldBlockFn: () => dirty.current && !window.confirm(t('form.leave')),
    enableBeforeUnload: false,
  });
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  // What somebody else saved shows in the fields that are not being changed here.
  const stored = JSON.stringify(props.initial);
  const latest = useRef({ all, company, stored });
  latest.current = { all, company, stored };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is stored is the occasion
  useEffect(() => setEdits((now) => onlyChanged(now, latest.current.all, latest.current.company)), [stored]);

  const discard = (): void => {
    setEdits({});
    setRestored(false);
    setError(null);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    const sent = props.whole ? fields.filter(({ name }) => values[name] !== '') : changed;
    try {
      refuseTwoReadings(sent, values, company);
      const names = sent.map(({ name }) => name);
      const bodyOf = (field: Field) => [field.name, bodyValue(field, values[field.name] ?? '', company)];
      const save = (over: Over) => props.save(Object.fromEntries(sent.map(bodyOf)), values, over);
      const mine = (stored: { values: Values }) => !isContested(names, edits, stored.values) || askToReplace();
      const done = props.theirs === undefined ? { saved: await save({}) } : await saveOver(props.theirs, mine, save);
      if (done === null) return;
      const next = done.saved;
      forget();
      await client.invalidateQueries({ queryKey: [company.id] });
      say(props.done.text);
      setRestored(false);
      const leaves = typeof next === 'function' || props.done.path !== undefined;
      setEdits((now) => {
        const after = afterSave(now, values);
        return latest.current.stored === stored ? after : onlyChanged(after, latest.current.all, company);
      });
      if (leaves) dirty.current = false;
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
    return { field: props.fieldOf?.(root, values, field) ?? root, message };
  });
  const elsewhere = errors.filter(({ field }) => !names.has(field));

  return (
    <form ref={form} onSubmit={submit} className={css.form} noValidate>
      {restored ? <Restored onDiscard={discard} /> : null}
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
                      onChange={(value) => setEdits((now) => withEdit(props.initial, now, field.name, value))}
                      context={company}
                    />
                  </div>
                ))}
            </div>
          </Section>
        ))}
      </fieldset>
      {typeof props.children === 'function' ? props.children(values) : props.children}
      {props.readOnly ? null : (
        <div className={css.foot}>
          {props.cancel === undefined ? null : (
            <Button
              variant="default"
              onClick={() => {
                const path = props.cancel ?? '';
                if (dirty.current && !window.confirm(t('form.leave'))) return;
                dirty.current = false;
                forget();
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
