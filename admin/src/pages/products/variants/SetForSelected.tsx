import { Button } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../../i18n/i18n.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import type { Field } from '../../../ui/form/values.ts';
import type { Selection } from '../../../ui/list/selection.ts';
import type { Product } from '../queries.ts';
import type { GridColumn } from './columns.tsx';
import type { Grid } from './useGrid.ts';
import css from './Variants.module.css';

interface SetForSelectedProps {
  columns: readonly GridColumn[];
  grid: Grid;
  selection: Selection<Product>;
}

/** Sets one value of each shown column but the SKU in all selected rows; they are saved with the other changes. */
export function SetForSelected({ columns, grid, selection }: SetForSelectedProps) {
  const [open, setOpen] = useState(false);
  const { rows, unselect } = selection;
  return (
    <div className={`${css.bulk} no-print`} role="toolbar" aria-label={t('list.bulk')}>
      <strong>{t('list.selected', { n: rows.length })}</strong>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        {t('variants.set')}
      </Button>
      <Button size="xs" variant="subtle" color="gray" onClick={unselect}>
        {t('list.unselect')}
      </Button>
      {open ? (
        <FormDialog
          title={t('variants.set')}
          fields={columns
            .filter(({ kind }) => kind !== 'sku')
            .map(({ input: { required: _, ...field } }): Field => field)}
          submit={t('action.change')}
          save={async (given) => {
            for (const column of columns) {
              const value = given[column.key];
              if (value !== undefined && value !== null) grid.setColumn(rows, column, String(value));
            }
            unselect();
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </div>
  );
}
