import { useState } from 'react';

/** The selected rows, over all pages of a list. */
export interface Selection<Row> {
  rows: Row[];
  has(row: Row): boolean;
  /** Whether all rows of the shown page are selected. */
  page: boolean;
  /** Everything that matches the filters, not only what the pages show. */
  everything: boolean;
  toggle(row: Row): void;
  togglePage(): void;
  selectEverything(): void;
  unselect(): void;
}

export function useSelection<Row>(shown: Row[] | undefined, idOf: (row: Row) => number | string): Selection<Row> {
  const [selected, setSelected] = useState<ReadonlyMap<number | string, Row>>(new Map());
  const [everything, setEverything] = useState(false);
  const has = (row: Row): boolean => selected.has(idOf(row));
  const page = shown !== undefined && shown.length > 0 && shown.every(has);
  const set = (next: ReadonlyMap<number | string, Row>): void => {
    setEverything(false);
    setSelected(next);
  };
  return {
    rows: [...selected.values()],
    has,
    page,
    everything,
    toggle: (row) => {
      const next = new Map(selected);
      if (!next.delete(idOf(row))) next.set(idOf(row), row);
      set(next);
    },
    togglePage: () => {
      const next = new Map(selected);
      for (const row of shown ?? []) {
        if (page) next.delete(idOf(row));
        else next.set(idOf(row), row);
      }
      set(next);
    },
    selectEverything: () => setEverything(true),
    unselect: () => set(new Map()),
  };
}
