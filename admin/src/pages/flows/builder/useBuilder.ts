import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { ok } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { useShop } from '../../../app/session.tsx';
import { t, tIf } from '../../../i18n/i18n.ts';
import { askToReplace, saveOver } from '../../../ui/form/contested.ts';
import { draftKey, readDraft, useKeptDraft } from '../../../ui/form/drafts.tsx';
import { say, sayError } from '../../../ui/messages.tsx';
import { changesOf, type Draft, draftOf, isContested, isEqual, stepOf, TRIGGER, type Way } from '../model/draft.ts';
import { apply, type Command } from '../model/edits.ts';
import { edited, historyOf, redone, undone } from '../model/history.ts';
import { type Problem, problemsLeft, problemsOf, type SayProblem } from '../model/problems.ts';
import { warningsOf } from '../model/warnings.ts';
import type { Flow } from '../queries.ts';

export interface Builder {
  flow: Flow;
  draft: Draft;
  dirty: boolean;
  saving: boolean;
  readOnly: boolean;
  canUndo: boolean;
  canRedo: boolean;
  problems: readonly Problem[];
  /** What to look at since the flow was activated here. */
  warnings: readonly Problem[];
  /** The current step, which the panel shows; may be the trigger. */
  at: string;
  selected: readonly string[];
  /** The place for which a step is being chosen; undefined where none is. */
  picking: Way | null | undefined;
  /** Makes a step current, and selects only it. */
  goTo(id: string): void;
  select(ids: readonly string[]): void;
  pick(on: Way | null | undefined): void;
  /** Edits the draft; consecutive edits of the same `typing` are undone as one. */
  run(command: Command, typing?: string): Draft;
  undo(): void;
  redo(): void;
  discard(): void;
  /** Saves the changes; returns false where the server refuses them. */
  save(): Promise<boolean>;
  /** Saves, and lets runs begin. */
  activate(): Promise<void>;
  /** Shows the errors of a request about the draft. */
  blame(error: unknown): void;
}

const inWords: SayProblem = (code, params) => tIf(`problem.${code}`, params);

const BuilderContext = createContext<Builder | null>(null);
export const BuilderProvider = BuilderContext;

export function useBuilderContext(): Builder {
  const builder = useContext(BuilderContext);
  if (builder === null) throw new Error('useBuilderContext outside of the builder');
  return builder;
}

/** The builder's state: a draft with its history, kept in the tab until it is saved. Starts at the step `start`, if it exists. */
export function useBuilder(flow: Flow, start?: string): Builder {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const kept = draftKey(company, `flow-builder-${flow.flow_id}`);
  const saved = useMemo(() => draftOf(flow), [flow]);
  const [first] = useState(() => readDraft<KeptEdits>(kept) ?? { base: saved, present: saved });
  const [history, setHistory] = useState(() => edited(historyOf(first.base), first.present));
  /** What the edits here started from; fixed while there are any. */
  const [base, setBase] = useState(first.base);
  const [at, setAt] = useState<string>(() => stepOf(first.present, start ?? TRIGGER)?.step_id ?? TRIGGER);
  const [selected, setSelected] = useState<readonly string[]>(at === TRIGGER ? [] : [at]);
  const [picking, setPicking] = useState<Way | null | undefined>(undefined);
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [warnings, setWarnings] = useState<readonly Problem[]>([]);
  const [saving, setSaving] = useState(false);
  const latest = useRef({ history, base, saving });
  Object.assign(latest.current, { history, base });
  const draft = history.present;
  const dirty = !isEqual(base, draft);
  useKeptDraft<KeptEdits>(kept, { base, present: draft }, { base, present: dirty ? base : draft });

  const take = (next: typeof history): Draft => {
    latest.current.history = next;
    setHistory(next);
    return next.present;
  };
  const begin = (from: Draft): void => {
    latest.current.base = from;
    setBase(from);
  };
  // Takes over what somebody else saved, unless there are edits here.
  useEffect(() => {
    const { history: now, base: from } = latest.current;
    if (isEqual(saved, from) || !isEqual(now.present, from)) return;
    latest.current.history = edited(now, saved);
    latest.current.base = saved;
    setHistory(latest.current.history);
    setBase(saved);
  }, [saved]);
  const blame = (error: unknown): void => {
    const found = error instanceof ApiError ? problemsOf(latest.current.history.present, error.fields, inWords) : [];
    setProblems(found);
    if (found.length === 0) sayError(error);
    else say(t('builder.problems', { n: found.length }), true);
  };
  const params = { path: { id: flow.flow_id } };
  const refresh = async (next: Flow): Promise<void> => {
    setProblems([]);
    setWarnings([]);
    client.setQueryData([company.id, 'flows', flow.flow_id], next);
    await client.invalidateQueries({ queryKey: [company.id, 'flows'] });
  };
  const send = async (): Promise<boolean> => {
    const { base: from, history: sent } = latest.current;
    if (isEqual(from, sent.present)) return true;
    try {
      const done = await saveOver(
        () => ok(api.GET('/flows/{id}', { params })),
        (theirs) => !isContested(from, sent.present, draftOf(theirs)) || askToReplace(),
        (headers) => ok(api.PATCH('/flows/{id}', { params, headers, body: changesOf(from, sent.present) })),
      );
      if (done === null) return false;
      const next = done.saved;
      const stored = draftOf(next);
      // The server trims texts: continues with what it stored, unless something was typed meanwhile.
      if (latest.current.history.present === sent.present) take({ ...latest.current.history, present: stored });
      begin(stored);
      await refresh(next);
      say(flow.status === 'active' ? t('flow.saved_version') : t('form.saved'));
      return true;
    } catch (error) {
      blame(error);
      return false;
    }
  };
  /** One request at a time: a second click does nothing. */
  const alone = async (act: () => Promise<boolean>): Promise<boolean> => {
    if (latest.current.saving) return false;
    latest.current.saving = true;
    setSaving(true);
    try {
      return await act();
    } finally {
      latest.current.saving = false;
      setSaving(false);
    }
  };
  return {
    flow,
    draft,
    dirty,
    saving,
    at,
    selected,
    picking,
    blame,
    problems: problemsLeft(draft, problems),
    warnings: problemsLeft(draft, warnings),
    readOnly: !can('marketing:write') || flow.status === 'archived',
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    goTo(id) {
      setAt(id);
      setSelected(id === TRIGGER ? [] : [id]);
    },
    select(ids) {
      setSelected(ids);
      if (ids.length === 1) setAt(ids[0]!);
    },
    pick: setPicking,
    run: (command, typing) => {
      const now = latest.current.history;
      return take(edited(now, apply(now.present, command), typing));
    },
    undo: () => void take(undone(latest.current.history)),
    redo: () => void take(redone(latest.current.history)),
    discard() {
      take(historyOf(saved));
      begin(saved);
      setProblems([]);
      setWarnings([]);
    },
    save: () => alone(send),
    async activate() {
      await alone(async () => {
        if (!(await send())) return false;
        try {
          const active = await ok(api.POST('/flows/activate/{id}', { params }));
          await refresh(active);
          const found = warningsOf(active);
          setWarnings(found);
          say(found.length === 0 ? t('builder.activated') : t('builder.activated.warnings', { n: found.length }));
          return true;
        } catch (error) {
          blame(error);
          return false;
        }
      });
    },
  };
}

/** Edits that survive a reload, and what they started from. */
interface KeptEdits {
  base: Draft;
  present: Draft;
}
