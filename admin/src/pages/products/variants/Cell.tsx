import { t } from '../../../i18n/i18n.ts';
import { useFormat } from '../../../ui/format.tsx';
import type { Product } from '../queries.ts';
import { Stock } from '../Stock.tsx';
import { type Column, isEditable } from './grid.ts';
import css from './Variants.module.css';

interface CellProps {
  variant: Product;
  title: string;
  column: Column;
  text: string;
  /** The id of the text of its error, if it has one. */
  errorId: string | undefined;
  changed: boolean;
  readOnly: boolean;
  onType(text: string): void;
  onPaste(clipboard: string): void;
}

export const titleOf = (column: Column): string =>
  ({ sku: t('product.sku'), price: t('field.price'), stock_qty: t('product.stock') })[column];

/** A cell as an input; a block of cells that is pasted into it fills others too. */
export function Cell({ variant, title, column, text, errorId, changed, readOnly, onType, onPaste }: CellProps) {
  const common = { 'data-column': column, 'data-right': column !== 'sku' || undefined, 'data-title': titleOf(column) };
  if (readOnly || !isEditable(variant, column)) {
    return (
      <td {...common}>
        <Shown variant={variant} column={column} />
      </td>
    );
  }
  return (
    <td {...common}>
      <input
        className={css.input}
        aria-label={`${title}: ${titleOf(column)}`}
        aria-invalid={errorId !== undefined}
        aria-describedby={errorId}
        data-changed={changed || undefined}
        inputMode={column === 'sku' ? 'text' : 'decimal'}
        autoComplete="off"
        value={text}
        onChange={(event) => onType(event.currentTarget.value)}
        onPaste={(event) => {
          const clipboard = event.clipboardData.getData('text/plain');
          if (!/[\t\n]/.test(clipboard)) return;
          event.preventDefault();
          onPaste(clipboard);
        }}
      />
    </td>
  );
}

function Shown({ variant, column }: { variant: Product; column: Column }) {
  const format = useFormat();
  if (column === 'stock_qty') return <Stock product={variant} />;
  return column === 'price' ? format.money(variant.price) : (variant.sku ?? '');
}
