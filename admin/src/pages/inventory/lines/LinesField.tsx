import { ActionIcon, TextInput } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import { numberOf } from '../../../ui/form/numbers.ts';
import type { InputProps, Value } from '../../../ui/form/values.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { ProductFinder } from '../../products/ProductFinder.tsx';
import css from './LinesField.module.css';

/** A line as it is typed. */
export interface Line {
  product_id: number;
  name: string;
  qty: string;
  /** What a unit costs; only receipts have it. */
  unit_cost?: string;
}

export const NO_LINES = '[]';

/** Form values are texts, so all lines are one text. */
export function textOfLines(lines: readonly Line[]): string {
  return JSON.stringify(lines);
}

function linesIn(value: Value): Line[] {
  return JSON.parse(String(value)) as Line[];
}

export function linesOf(value: Value): object[] {
  return linesIn(value).map(({ product_id, qty, unit_cost }) => ({
    product_id,
    qty: numberOf(qty.trim()),
    ...(unit_cost?.trim() ? { unit_cost: numberOf(unit_cost.trim()) } : {}),
  }));
}

/** The products of a transfer, each with its quantity. */
export function LinesField(props: InputProps) {
  return <Lines {...props} withCost={false} />;
}

/** The products of a receipt, each with its quantity and cost. */
export function CostLinesField(props: InputProps) {
  return <Lines {...props} withCost />;
}

function Lines({ field, value, error, context, onChange, withCost }: InputProps & { withCost: boolean }) {
  const lines = linesIn(value);
  const set = (next: Line[]): void => onChange(textOfLines(next));
  const change = (id: number, part: Partial<Line>): void =>
    set(lines.map((line) => (line.product_id === id ? { ...line, ...part } : line)));
  return (
    <fieldset className={css.field}>
      <legend className="visually-hidden">{field.label}</legend>
      <ProductFinder
        label={t('order.new.find')}
        error={error}
        among="sold"
        onChoose={({ id, name }) => {
          const known = lines.find(({ product_id }) => product_id === id);
          if (known === undefined) set([...lines, { product_id: id, name, qty: '1' }]);
          else {
            const qty = numberOf(known.qty.trim());
            if (typeof qty === 'number') change(id, { qty: String(qty + 1) });
          }
        }}
      />
      {lines.length === 0 ? null : (
        <ul className={css.lines} data-cost={withCost || undefined}>
          {lines.map((line) => (
            <li key={line.product_id}>
              <span className={`${css.name} break`}>{line.name}</span>
              <TextInput
                inputMode="numeric"
                aria-label={t('order.new.qty', { name: line.name })}
                value={line.qty}
                onChange={(event) => change(line.product_id, { qty: event.currentTarget.value })}
              />
              {withCost ? (
                <TextInput
                  inputMode="decimal"
                  aria-label={t('receipt.unit_cost.of', { name: line.name })}
                  placeholder={t('receipt.unit_cost')}
                  rightSection={<span className={css.unit}>{context.currency}</span>}
                  rightSectionWidth={48}
                  value={line.unit_cost ?? ''}
                  onChange={(event) => change(line.product_id, { unit_cost: event.currentTarget.value })}
                />
              ) : null}
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={t('order.new.remove', { name: line.name })}
                onClick={() => set(lines.filter(({ product_id }) => product_id !== line.product_id))}
              >
                <Icon name="x" size={16} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  );
}
