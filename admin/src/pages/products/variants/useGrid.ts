import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
import { ApiError } from '../../../api/errors.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { draftKey, readDraft, useKeptDraft } from '../../../ui/form/drafts.tsx';
import { fieldText, say, textOf } from '../../../ui/messages.tsx';
import type { Product } from '../queries.ts';
import type { GridColumns } from './columns.tsx';
import {
  ambiguousCells,
  blockOf,
  byCell,
  type CellErrors,
  type Column,
  cellKey,
  changesOf,
  chunksOf,
  type Edits,
  errorsByCell,
  MOST_CHANGES,
  withBlock,
  withColumn,
  withoutSaved,
  withText,
} from './grid.ts';
import { useSaveVariants } from './queries.ts';

/**
 * The state of the table of a product's variants. What was typed is kept in the tab until it is saved, also what is in columns that are
 * hidden afterwards.
 */
export function useGrid(parent: number, variants: readonly Product[], { all, shown }: GridColumns) {
  const { company } = useShop();
  const client = useQueryClient();
  const saveChunk = useSaveVariants(parent);
  const kept = draftKey(company, `variants-${parent}`);
  const [first] = useState(() => readDraft<Edits>(kept) ?? {});
  const [edits, setEdits] = useState(first);
  const [restored, setRestored] = useState(Object.keys(first).length > 0);
  const [errors, setErrors] = useState<CellErrors>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const changes = useMemo(() => changesOf(edits, variants, all, company), [edits, variants, all, company]);
  const latest = useRef({ variants, shown });
  latest.current = { variants, shown };
  useKeptDraft<Edits>(kept, changes.length === 0 ? {} : edits, {});
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      changes.length > 0 && current.pathname !== next.pathname && !window.confirm(t('form.leave')),
    enableBeforeUnload: false,
  });

  const save = async (): Promise<void> => {
    const sent = edits;
    const ambiguous = ambiguousCells(sent, variants, all, company).map(({ id, column, text, readings: [a, b] }) => ({
      id,
      column,
      text: t('form.two_readings', { text, a, b }),
    }));
    const { cells, hidden } = byCell(ambiguous, shown);
    setErrors(cells);
    setProblem(hidden.length > 0 ? hidden.join('; ') : null);
    if (ambiguous.length > 0) return;
    setBusy(true);
    let chunk: typeof changes = [];
    try {
      for (chunk of chunksOf(changes, MOST_CHANGES)) {
        await saveChunk(chunk);
        const saved = chunk;
        setEdits((now) => withoutSaved(now, saved, sent));
      }
      setRestored(false);
      say(t('form.saved'));
    } catch (error) {
      const failed = error instanceof ApiError ? error.fields : [];
      const { cells, others } = errorsByCell(failed, chunk, { all, shown }, fieldText);
      setErrors(cells);
      setProblem(others.length > 0 ? others.join('; ') : failed.length === 0 ? textOf(error) : t('variants.invalid'));
    } finally {
      setBusy(false);
      await client.invalidateQueries({ queryKey: [company.id, 'products'] });
    }
  };
  return {
    edits,
    restored,
    errors,
    problem,
    busy,
    changed: changes.length,
    save,
    discard: (): void => {
      setEdits({});
      setRestored(false);
      setErrors({});
      setProblem(null);
    },
    setColumn: (selected: readonly Product[], column: Column, text: string): void =>
      setEdits((now) => withColumn(now, selected, column, text)),
    // The same functions for all rows, of which only those that change are rendered again.
    type: useCallback((id: number, column: Column, text: string): void => {
      setEdits((now) => withText(now, id, column, text));
      setErrors(({ [cellKey(id, column)]: _, ...others }) => others);
    }, []),
    paste: useCallback((row: number, column: Column, clipboard: string): void => {
      const { variants: rows, shown: columns } = latest.current;
      setEdits((now) => withBlock(now, rows, columns, { row, column }, blockOf(clipboard)));
      setErrors({});
    }, []),
  };
}

export type Grid = ReturnType<typeof useGrid>;
