import { Checkbox } from '@mantine/core';
import { memo } from 'react';
import { t } from '../../../i18n/i18n.ts';
import { Anchor } from '../../../ui/Anchor.tsx';
import { Status } from '../../../ui/Status.tsx';
import { Picture } from '../Picture.tsx';
import type { Product } from '../queries.ts';
import { Cell } from './Cell.tsx';
import type { GridColumn } from './columns.tsx';
import { type Column, cellKey } from './grid.ts';
import css from './Variants.module.css';

export interface RowProps {
  variant: Product;
  /** Its place among all variants. */
  row: number;
  columns: readonly GridColumn[];
  /** The texts of its cells, in the order of the columns, and of their errors. */
  texts: readonly string[];
  errors: readonly (string | undefined)[];
  /** Whether cells differ from what is stored. */
  changed: readonly boolean[];
  selected: boolean;
  readOnly: boolean;
  onToggle(variant: Product): void;
  onType(id: number, column: Column, text: string): void;
  onPaste(row: number, column: Column, clipboard: string): void;
}

function Row({ variant, row, columns, texts, errors, changed, selected, readOnly, ...on }: RowProps) {
  const title = variant.title ?? variant.name;
  const isFailed = errors.some((error) => error !== undefined);
  return (
    <>
      <tr data-selected={selected || undefined}>
        {readOnly ? null : (
          <td className={css.check}>
            <Checkbox
              size="xs"
              checked={selected}
              onChange={() => on.onToggle(variant)}
              aria-label={t('list.select', { id: title })}
            />
          </td>
        )}
        <th scope="row" className={css.name}>
          <span className={css.title}>
            <Picture product={variant} />
            <Anchor path={`products/${variant.id}`}>{title}</Anchor>
          </span>
        </th>
        {columns.map((column, i) => (
          <Cell
            key={column.key}
            variant={variant}
            title={title}
            column={column}
            text={texts[i] ?? ''}
            errorId={errors[i] === undefined ? undefined : cellKey(variant.id, column)}
            changed={changed[i] === true}
            readOnly={readOnly}
            onType={(text) => on.onType(variant.id, column, text)}
            onPaste={(clipboard) => on.onPaste(row, column, clipboard)}
          />
        ))}
        <td className={css.status}>
          <Status value={variant.status} />
        </td>
      </tr>
      {isFailed ? (
        <tr className={css.errors}>
          <td colSpan={columns.length + 3}>
            {columns.map((column, i) =>
              errors[i] === undefined ? null : (
                <p key={column.key} id={cellKey(variant.id, column)}>
                  {column.title}: {errors[i]}
                </p>
              ),
            )}
          </td>
        </tr>
      ) : null}
    </>
  );
}

const isSame = <T,>(a: readonly T[], b: readonly T[]): boolean => a.every((one, i) => one === b[i]);

/** One variant; rendered again only when something of it changes, because there may be a hundred on a page. */
export const VariantRow = memo(
  Row,
  (before, after) =>
    before.variant === after.variant &&
    before.row === after.row &&
    before.columns === after.columns &&
    before.selected === after.selected &&
    isSame(before.texts, after.texts) &&
    isSame(before.errors, after.errors) &&
    isSame(before.changed, after.changed),
);
