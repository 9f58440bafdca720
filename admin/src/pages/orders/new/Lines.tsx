import { ActionIcon, TextInput } from '@mantine/core';
import { rowsOf } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Section } from '../../../ui/DetailPage.tsx';
import { useFormat } from '../../../ui/format.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import type { Line } from './draft.ts';
import { Finder } from './Finder.tsx';
import css from './new.module.css';

const SHOWN = 6;

interface LinesProps {
  lines: Line[];
  error: string | undefined;
  errorOf(index: number): string | undefined;
  onChange(lines: Line[]): void;
}

/** The products of the order, found by name or SKU, each with its quantity. */
export function Lines({ lines, error, errorOf, onChange }: LinesProps) {
  const { api } = useShop();
  const format = useFormat();
  const find = async (search: string, signal: AbortSignal) => {
    const query = { search, include: 'variants', per_page: SHOWN } as const;
    const { rows } = await rowsOf(api.GET('/products', { params: { query }, signal }));
    const sold = rows.filter(({ has_variants }) => !has_variants);
    return sold.map((product) => ({
      id: product.id,
      title: product.name,
      price: product.price,
      stock: product.stock_qty,
      text: [product.sku, format.money(product.price), t('order.new.stock', { n: product.stock_qty })]
        .filter(Boolean)
        .join(' · '),
    }));
  };
  const add = ({ id, title, price, stock }: Awaited<ReturnType<typeof find>>[number]): void => {
    const known = lines.find((line) => line.product_id === id);
    if (known === undefined) onChange([...lines, { product_id: id, name: title, price, stock, qty: '1' }]);
    else set(id, String((Number(known.qty) || 0) + 1));
  };
  const set = (id: number, qty: string): void =>
    onChange(lines.map((line) => (line.product_id === id ? { ...line, qty } : line)));
  const problemOf = (line: Line, index: number): string | undefined =>
    errorOf(index) ?? (Number(line.qty) > line.stock ? t('order.new.short', { n: line.stock }) : undefined);
  return (
    <Section title={t('order.items')}>
      <Finder name="products" label={t('order.new.find')} error={error} find={find} onChoose={add} />
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
