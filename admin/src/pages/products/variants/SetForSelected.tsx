import { Button } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../../i18n/i18n.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import type { Selection } from '../../../ui/list/selection.ts';
import type { Product } from '../queries.ts';
import { titleOf } from './Cell.tsx';
import type { Grid } from './useGrid.ts';
import css from './Variants.module.css';

interface Given {
  price?: number;
  stock_qty?: number;
}

/** Sets one price or stock in all selected rows; they are saved with the other changes. */
export function SetForSelected({ grid, selection }: { grid: Grid; selection: Selection<Product> }) {
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
        <FormDialog<Given>
          title={t('variants.set')}
          fields={[
            { name: 'price', label: titleOf('price'), type: 'money' },
            { name: 'stock_qty', label: titleOf('stock_qty'), type: 'number' },
          ]}
          submit={t('action.change')}
          save={async ({ price, stock_qty }) => {
            if (price !== undefined) grid.setColumn(rows, 'price', String(price));
            if (stock_qty !== undefined) grid.setColumn(rows, 'stock_qty', String(stock_qty));
            unselect();
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </div>
  );
}
