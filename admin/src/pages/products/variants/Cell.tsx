import { useFormat } from '../../../ui/format.tsx';
import type { Product } from '../queries.ts';
import type { GridColumn } from './columns.tsx';
import { isEditable } from './grid.ts';
import css from './Variants.module.css';

interface CellProps {
  variant: Product;
  title: string;
  column: GridColumn;
  text: string;
  /** The id of the text of its error, if it has one. */
  errorId: string | undefined;
  changed: boolean;
  readOnly: boolean;
  onType(text: string): void;
  onPaste(clipboard: string): void;
}

/** A cell as an input; a block of cells that is pasted into it fills others too. */
export function Cell({ variant, title, column, text, errorId, changed, readOnly, onType, onPaste }: CellProps) {
  const common = { 'data-column': column.kind, 'data-right': column.right, 'data-title': column.title };
  if (readOnly || !isEditable(variant, column)) {
    return (
      <td {...common}>
        <Shown variant={variant} column={column} />
      </td>
    );
  }
  const { type, choices = [] } = column.field;
  const control = {
    className: css.input,
    'aria-label': `${title}: ${column.title}`,
    'aria-invalid': errorId !== undefined,
    'aria-describedby': errorId,
    'data-changed': changed || undefined,
    value: text,
    onChange: (event: { currentTarget: { value: string } }) => onType(event.currentTarget.value),
    onPaste: (event: { clipboardData: DataTransfer; preventDefault(): void }) => {
      const clipboard = event.clipboardData.getData('text/plain');
      // What is pasted into a number, a choice or a date is read as in a block.
      if (!['number', 'choice', 'day'].includes(type) && !/[\t\n]/.test(clipboard)) return;
      event.preventDefault();
      onPaste(clipboard);
    },
  };
  if (type === 'choice') {
    // What was pasted may be no choice: it is shown, and the server names the problem.
    const isKnown = choices.some(({ value }) => value === text);
    return (
      <td {...common}>
        <select {...control}>
          {isKnown ? null : <option value={text}>{text}</option>}
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </td>
    );
  }
  // An input for dates would show nothing of a text that is none.
  const isDate = type === 'day' && (text === '' || /^\d{4}-\d{2}-\d{2}$/.test(text));
  return (
    <td {...common}>
      <input
        {...control}
        type={isDate ? 'date' : 'text'}
        inputMode={type === 'number' ? 'decimal' : 'text'}
        autoComplete="off"
      />
    </td>
  );
}

function Shown({ variant, column }: { variant: Product; column: GridColumn }) {
  return column.show(variant, useFormat());
}
