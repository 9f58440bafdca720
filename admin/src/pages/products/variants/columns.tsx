import { type ReactNode, useMemo } from 'react';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import type { Field, FieldContext } from '../../../ui/form/values.ts';
import type { useFormat } from '../../../ui/format.tsx';
import { useColumns } from '../../../ui/list/columns.tsx';
import { customFacts, customGroups, customValues } from '../../custom-fields/fields.tsx';
import type { CustomField } from '../../custom-fields/queries.ts';
import type { Product } from '../queries.ts';
import { Stock } from '../Stock.tsx';
import { asNumber, type Column, currencyNames } from './grid.ts';

/** Further custom fields are hidden until they are chosen. */
const SHOWN_FIELDS = 3;

/** The types of custom field whose single value is typed in a line. Others are edited on the page of the variant. */
const IN_A_LINE: ReadonlySet<CustomField['type']> = new Set([
  'text',
  'url',
  'color',
  'integer',
  'decimal',
  'weight',
  'length',
  'money',
  'boolean',
  'choice',
  'date',
]);

export interface GridColumn extends Column {
  title: string;
  /** How wide it is. */
  kind: 'sku' | 'price' | 'stock_qty' | 'custom';
  right?: true;
  optional?: true;
  /** For all selected variants. */
  input: Field;
  /** Where it cannot be edited. */
  show(variant: Product, format: ReturnType<typeof useFormat>): ReactNode;
}

export interface GridColumns {
  all: readonly GridColumn[];
  shown: readonly GridColumn[];
}

/** The columns of a table of variants, and which of them the person has chosen. */
export function useGridColumns(fields: readonly CustomField[]) {
  const { company } = useShop();
  const all = useMemo(() => [...ownColumns(company), ...customColumns(fields, company)], [fields, company]);
  const [chosen, choose] = useColumns(`variants-${company.id}`, all);
  const shown = useMemo(() => all.filter(({ key }) => chosen.includes(key)), [all, chosen]);
  return { all, shown, chosen, choose };
}

function ownColumns(context: FieldContext): GridColumn[] {
  const sku: Field = { name: 'sku', label: t('product.sku'), type: 'text' };
  const price: Field = { name: 'price', label: t('field.price'), type: 'money' };
  const stock: Field = { name: 'stock_qty', label: t('product.stock'), type: 'number' };
  return [
    {
      key: 'sku',
      title: sku.label,
      kind: 'sku',
      field: sku,
      input: sku,
      stored: (variant) => variant.sku ?? '',
      show: (variant) => variant.sku,
    },
    {
      key: 'price',
      title: price.label,
      kind: 'price',
      right: true,
      field: asNumber(price, context),
      currency: currencyNames(context),
      input: price,
      stored: (variant) => String(variant.price),
      show: (variant, format) => format.money(variant.price),
    },
    {
      key: 'stock_qty',
      title: stock.label,
      kind: 'stock_qty',
      right: true,
      field: stock,
      input: stock,
      stored: ({ stock_qty }) => String(stock_qty),
      show: (product) => <Stock product={product} />,
    },
  ];
}

function customColumns(fields: readonly CustomField[], context: FieldContext): GridColumn[] {
  return fields
    .filter(({ type, list }) => !list && IN_A_LINE.has(type))
    .flatMap((own, i) =>
      customGroups([own], context).flatMap((group) =>
        group.fields.map((field): GridColumn => {
          const isNumber = field.type === 'number' || field.type === 'money';
          return {
            key: field.name,
            title: field.label,
            kind: 'custom',
            ...(isNumber ? { right: true } : {}),
            ...(i >= SHOWN_FIELDS ? { optional: true } : {}),
            ...(field.type === 'money' ? { currency: currencyNames(context) } : {}),
            field: field.type === 'money' ? asNumber(field, context) : field,
            input: field,
            stored: ({ custom }) => String(customValues([own], custom, context)[field.name]),
            show: ({ custom }, format) => customFacts([own], custom, format)[0]?.[1],
          };
        }),
      ),
    );
}
