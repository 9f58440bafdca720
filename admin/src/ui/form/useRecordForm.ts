import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/errors.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { fieldText, textOf } from '../messages.tsx';
import { askToReplace, contestedOf, type Over, saveOver } from './contested.ts';
import { draftKey, readDraft, useKeptDraft } from './drafts.tsx';
import { afterSave, type Edit, type Edits, isChanged, onlyChanged, shownValues, withEdit } from './edits.ts';
import { refuseTwoReadings } from './fields.tsx';
import {
  type AnyBody,
  bodyOfFields,
  type Field,
  type FieldOf,
  rootOf,
  shownError,
  type Value,
  type Values,
} from './values.ts';

export interface ShownGroup {
  title: string;
  fields: Field[];
  /** Kept and saved with the others, but not shown now. */
  hidden?: boolean;
}
/** Fields of a request body. */
export interface FieldGroup<Body = AnyBody> extends ShownGroup {
  fields: FieldOf<Body>[];
}

export interface RecordFormOptions<Body extends object> {
  /** Key of the draft that survives a reload; one per record. */
  draft: string;
  groups: FieldGroup<Body>[];
  initial: Values;
  /** Sends the changed fields, with the headers `over`; errors of fields are shown at them. */
  save(body: Body, values: Values, over: Over): Promise<unknown>;
  /** Returns what is stored now: a save asks before it replaces what somebody else saved meanwhile. */
  theirs?(): Promise<{ values: Values; revision: number }>;
  /** Whether these fields of `theirs` may be replaced; by default a dialog asks. */
  mayReplace?(names: readonly string[], theirs: Values): boolean | Promise<boolean>;
  /** Sends every field, not only the changed ones: for a new record. */
  whole?: true;
  /** Returns the form's field for a field of the API, where they differ. */
  fieldOf?(name: string, values: Values, whole: string): string;
}

export type RecordFormState = ReturnType<typeof useRecordForm<object>>;

/** The state of a form for an endpoint's fields. What was typed is kept in the tab until it is saved. */
export function useRecordForm<Body extends object = AnyBody>(options: RecordFormOptions<Body>) {
  const { company } = useShop();
  const client = useQueryClient();
  const all: Field[] = options.groups.flatMap((group) => group.fields);
  const kept = draftKey(company, options.draft);
  const [first] = useState(() => readDraft<Edits>(kept) ?? {});
  const [edits, setEdits] = useState(first);
  const [restored, setRestored] = useState(Object.keys(first).length > 0);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const values = shownValues(options.initial, edits);
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

  // Navigation within the page keeps the form, and what is typed.
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      dirty.current && current.pathname !== next.pathname && !window.confirm(t('form.leave')),
    enableBeforeUnload: false,
  });
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  // What somebody else saved is shown in the fields that are not being edited here.
  const stored = JSON.stringify(options.initial);
  const latest = useRef({ all, company, stored });
  latest.current = { all, company, stored };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is stored is the occasion
  useEffect(() => setEdits((now) => onlyChanged(now, latest.current.all, latest.current.company)), [stored]);

  const discard = (): void => {
    setEdits({});
    setRestored(false);
    setError(null);
  };
  /** Returns the result of the options' `save`; null where it was refused or the person declined. */
  const save = async (): Promise<{ saved: unknown } | null> => {
    setBusy(true);
    setError(null);
    const sent = options.whole ? fields.filter(({ name }) => values[name] !== '') : changed;
    try {
      refuseTwoReadings(sent, values, company);
      const names = sent.map(({ name }) => name);
      const send = (over: Over) => options.save(bodyOfFields<Body>(sent, values, company), values, over);
      const mine = (theirs: { values: Values }) => {
        const contested = contestedOf(names, edits, theirs.values);
        return contested.length === 0 || (options.mayReplace ?? askToReplace)(contested, theirs.values);
      };
      const done =
        options.theirs === undefined ? { saved: await send({}) } : await saveOver(options.theirs, mine, send);
      if (done === null) return null;
      forget();
      await client.invalidateQueries({ queryKey: [company.id] });
      setRestored(false);
      setEdits((now) => {
        const after = afterSave(now, values);
        return latest.current.stored === stored ? after : onlyChanged(after, latest.current.all, company);
      });
      return done;
    } catch (failure) {
      setError(failure);
      return null;
    } finally {
      setBusy(false);
    }
  };
  const hidden = new Set<Field>(options.groups.flatMap((group) => (group.hidden ? group.fields : [])));
  const shown = new Set(fields.filter((field) => !hidden.has(field)).map(({ name }) => name));
  const errors = (error instanceof ApiError ? error.fields : []).map((one) => {
    const root = rootOf(one.field);
    return { ...one, field: options.fieldOf?.(root, values, one.field) ?? root };
  });
  const elsewhere = errors.filter(({ field }) => !shown.has(field));
  return {
    form,
    values,
    busy,
    restored,
    discard,
    save,
    forget,
    changed: changed.length > 0,
    set: (name: string, value: Value) => setEdits((now) => withEdit(options.initial, now, name, value)),
    errorOf: (name: string): string | undefined => {
      const found = errors.find(({ field }) => field === name);
      return found && fieldText(shownError(found, all));
    },
    /** Errors that belong to none of the shown fields. */
    problem:
      elsewhere.length > 0
        ? elsewhere.map(({ message }) => message).join('; ')
        : error !== null && errors.length === 0
          ? textOf(error)
          : null,
    /** Whether the page may be left: asks if something typed would be lost. */
    mayLeave: (): boolean => !dirty.current || window.confirm(t('form.leave')),
    /** From now on the page can be left without a question. */
    letGo: (): void => {
      dirty.current = false;
    },
  };
}
