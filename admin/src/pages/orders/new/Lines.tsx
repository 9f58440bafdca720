import { ActionIcon, TextInput } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import { Section } from '../../../ui/DetailPage.tsx';
import { useFormat } from '../../../ui/format.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { ProductFinder } from '../../products/ProductFinder.tsx';
import type { Product } from '../../products/queries.ts';
import type { Line } from './draft.ts';
import css from './new.module.css';

interface LinesProps {
  lines: Line[];
  error: string | undefined;
  errorOf(index: number): string | undefined;
  onChange(lines: Line[]): void;
}

/** The products of the order, found by name or SKU, each with its quantity. */
export function Lines({ lines, error, errorOf, onChange }: LinesProps) {
  const format = useFormat();
  const add = ({ id, name, price, stock_qty: stock }: Product): void => {
    const known = lines.find((line) => line.product_id === id);
    if (known === undefined) onChange([...lines, { product_id: id, name, price, stock, qty: '1' }]);
    else set(id, String((Number(known.qty) || 0) + 1));
  };
  const set = (id: number, qty: string): void =>
    onChange(lines.map((line) => (line.product_id === id ? { ...line, qty } : line)));
  const problemOf = (line: Line, index: number): string | undefined =>
    errorOf(index) ?? (Number(line.qty) > line.stock ? t('order.new.short', { n: line.stock }) : undefined);
  return (
    <Section title={t('order.items')}>
      <ProductFinder label={t('order.new.find')} error={error} among="sold" onChoose={add} />
      {lines.length === 0 ? null : (
        <ul className={css.lines}>
          {lines.map((line, index) => (
            <li key={line.product_id}>
              <span className={css.name}>
                <span className="break">{line.name}</span>
                <span className="dim num">{format.money(line.price)}</span>
              </span>
              <TextInput
                className={css.qty}
                inputMode="numeric"
                aria-label={t('order.new.qty', { name: line.name })}
                error={problemOf(line, index)}
                value={line.qty}
                onChange={(event) => set(line.product_id, event.currentTarget.value)}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={t('order.new.remove', { name: line.name })}
                onClick={() => onChange(lines.filter((one) => one !== line))}
              >
                <Icon name="x" size={16} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
