import { Checkbox } from '@mantine/core';
import { useCallback, useRef } from 'react';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import type { Selection } from '../../../ui/list/selection.ts';
import type { Product } from '../queries.ts';
import type { GridColumn } from './columns.tsx';
import { cellKey, isChanged, textIn } from './grid.ts';
import type { Grid } from './useGrid.ts';
import { VariantRow } from './VariantRow.tsx';
import css from './Variants.module.css';

interface VariantTableProps {
  /** Those of the shown page, of which the first is at `offset` among all variants. */
  shown: readonly Product[];
  offset: number;
  columns: readonly GridColumn[];
  grid: Grid;
  /** Over all pages. */
  selection: Selection<Product>;
  readOnly: boolean;
}

/** A page of the variants, with cells to edit. */
export function VariantTable({ shown, offset, columns, grid, selection, readOnly }: VariantTableProps) {
  const { company } = useShop();
  const latest = useRef(selection);
  latest.current = selection;
  const toggle = useCallback((variant: Product) => latest.current.toggle(variant), []);
  return (
    <table className={css.table}>
      <caption className="visually-hidden">{t('variants.title')}</caption>
      <thead>
        <tr>
          {readOnly ? null : (
            <td className={css.check} data-title={t('variants.select_all')}>
              <Checkbox
                size="xs"
                checked={selection.page}
                indeterminate={!selection.page && selection.rows.length > 0}
                onChange={selection.togglePage}
                aria-label={t('variants.select_all')}
              />
            </td>
          )}
          <th scope="col" className={css.name}>
            {t('field.name')}
          </th>
          {columns.map(({ key, title, kind, right }) => (
            <th key={key} scope="col" data-column={kind} data-right={right}>
              {title}
            </th>
          ))}
          <th scope="col">{t('field.status')}</th>
        </tr>
      </thead>
      <tbody>
        {shown.map((variant, i) => (
          <VariantRow
            key={variant.id}
            variant={variant}
            row={offset + i}
            columns={columns}
            texts={columns.map((column) => textIn(grid.edits, variant, column))}
            errors={columns.map((column) => grid.errors[cellKey(variant.id, column)])}
            changed={columns.map((column) => isChanged(grid.edits, variant, column, company))}
            selected={selection.has(variant)}
            readOnly={readOnly}
            onToggle={toggle}
            onType={grid.type}
            onPaste={grid.paste}
          />
        ))}
      </tbody>
    </table>
  );
}
