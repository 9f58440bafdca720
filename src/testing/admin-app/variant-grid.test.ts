import { describe, expect, test } from 'vitest';
import {
  ambiguousCells,
  asNumber,
  blockOf,
  byCell,
  type Column,
  changesOf,
  chunksOf,
  currencyNames,
  type Edits,
  errorsByCell,
  type Variant,
  withBlock,
  withColumn,
  withoutSaved,
  withText,
} from '../../../admin/src/pages/products/variants/grid.ts';

const SHOP = { currency: 'EUR', time_zone: 'Europe/Amsterdam' };
const variant = (id: number, fields: Partial<Variant> = {}): Variant => ({
  id,
  sku: null,
  price: 20,
  stock_qty: 5,
  track_stock: true,
  custom: {},
  ...fields,
});
const SKU: Column = {
  key: 'sku',
  field: { name: 'sku', label: 'SKU', type: 'text' },
  stored: ({ sku }) => sku ?? '',
};
const PRICE: Column = {
  key: 'price',
  field: asNumber({ name: 'price', label: 'Price', type: 'money' }, SHOP),
  stored: ({ price }) => String(price),
  currency: currencyNames(SHOP),
};
const STOCK: Column = {
  key: 'stock_qty',
  field: { name: 'stock_qty', label: 'Stock', type: 'number' },
  stored: ({ stock_qty }) => String(stock_qty),
};
const ORGANIC: Column = {
  key: 'custom.organic',
  field: {
    name: 'custom.organic',
    label: 'Organic',
    type: 'choice',
    choices: [
      { value: '', label: '–' },
      { value: 'true', label: 'Yes' },
      { value: 'false', label: 'No' },
    ],
    bodyOf: (value) => (value === '' ? null : value === 'true'),
  },
  stored: ({ custom }) => String(custom.organic ?? ''),
};
const WEIGHT: Column = {
  key: 'custom.weight',
  field: { name: 'custom.weight', label: 'Weight (g)', type: 'number', precise: true },
  stored: ({ custom }) => String(custom.weight ?? ''),
};
const COLUMNS = [SKU, PRICE, STOCK];
const THREE = [variant(1), variant(2, { sku: 'B', track_stock: false, stock_qty: 999_999 }), variant(3)];

describe('a block from a spreadsheet', () => {
  test.each([
    [
      'A\t1\nB\t2',
      [
        ['A', '1'],
        ['B', '2'],
      ],
    ],
    [
      'A\t1\r\nB\t2\r\n',
      [
        ['A', '1'],
        ['B', '2'],
      ],
    ],
    ['12', [['12']]],
    [' a \t\tb', [['a', '', 'b']]],
  ])('%j is %j', (clipboard, block) => {
    expect(blockOf(clipboard)).toEqual(block);
  });

  test('fills the cells to the right and below, and ends with the table', () => {
    const block = blockOf('S1\t10\t7\tmore\nS2\t11\t8\nS3\t12\t9\nS4\t13\t10');
    expect(withBlock({}, THREE, COLUMNS, { row: 0, column: SKU }, block)).toEqual({
      1: { sku: 'S1', price: '10', stock_qty: '7' },
      2: { sku: 'S2', price: '11' },
      3: { sku: 'S3', price: '12', stock_qty: '9' },
    });
    expect(
      withBlock({ 3: { sku: 'X', price: '1' } }, THREE, COLUMNS, { row: 2, column: PRICE }, [['14', '3']]),
    ).toEqual({
      3: { sku: 'X', price: '14', stock_qty: '3' },
    });
  });

  test.each([
    ['€ 1.250,00', '1250,00'],
    ['$1,250.50', '1250.50'],
    ['1,250,000', '1250000'],
    ['19,90 EUR', '19,90'],
    ['1,250', '1,250'],
    ['-3', '-3'],
    ["1'250.00 eur", '1250.00'],
    ['none', 'none'],
    ['5e3', '5e3'],
    ['5 k', '5 k'],
    ['19,90 USD', '19,90 USD'],
    ['1/2', '1/2'],
  ])('has %s as the number %s', (text, plain) => {
    expect(withBlock({}, THREE, COLUMNS, { row: 0, column: PRICE }, [[text]])).toEqual({ 1: { price: plain } });
  });

  test.each([
    ['DKK', '12,50 kr.', '12,50'],
    ['BRL', 'R$ 12,50', '12,50'],
    ['CHF', 'CHF 1’250.00', '1250.00'],
  ])('names an amount in %s: %s', (currency, text, plain) => {
    const price = { ...PRICE, currency: currencyNames({ ...SHOP, currency }) };
    expect(withBlock({}, THREE, [price], { row: 0, column: price }, [[text]])).toEqual({ 1: { price: plain } });
  });

  test.each(['1,5 kg', '5e3', '3 EUR', '1.250?', '1,250?'])('has no number of grams in %s', (text) => {
    const pasted = withBlock({}, THREE, [WEIGHT], { row: 0, column: WEIGHT }, [[text.replace('?', '')]]);
    expect(pasted).toEqual({ 1: { 'custom.weight': text } });
    expect(changesOf(pasted, THREE, [WEIGHT], SHOP)).toEqual([{ id: 1, 'custom.weight': text }]);
  });
});

describe('custom values', () => {
  const columns = [PRICE, ORGANIC];
  const stored = [variant(1, { custom: { organic: true } }), variant(2)];

  test('are pasted as they are shown or stored, in any case; what is no choice stays as it is', () => {
    const block = [['Yes'], ['FALSE'], ['maybe']];
    expect(withBlock({}, THREE, columns, { row: 0, column: ORGANIC }, block)).toEqual({
      1: { 'custom.organic': 'true' },
      2: { 'custom.organic': 'false' },
      3: { 'custom.organic': 'maybe' },
    });
  });

  test('are pasted in their own case, where choices differ only in it', () => {
    const choices = ['XL', 'xl', 'Xl'].map((value) => ({ value, label: value }));
    const size: Column = {
      key: 'custom.size',
      field: { name: 'custom.size', label: 'Size', type: 'choice', choices },
      stored: () => '',
    };
    expect(withBlock({}, THREE, [size], { row: 0, column: size }, [['xl'], ['Xl'], ['xL']])).toEqual({
      1: { 'custom.size': 'xl' },
      2: { 'custom.size': 'Xl' },
      3: { 'custom.size': 'XL' },
    });
  });

  test('are sent where they differ, and cleared by an empty text', () => {
    const edits: Edits = { 1: { 'custom.organic': '' }, 2: { price: '20', 'custom.organic': 'false' } };
    expect(changesOf(edits, stored, columns, SHOP)).toEqual([
      { id: 1, 'custom.organic': null },
      { id: 2, 'custom.organic': false },
    ]);
    expect(changesOf({ 1: { 'custom.organic': 'true' }, 2: { 'custom.organic': '' } }, stored, columns, SHOP)).toEqual(
      [],
    );
  });

  test('have their errors at their cells', () => {
    const errors = [{ field: 'products.0.custom.organic', message: 'products.0.custom.organic must be true or false' }];
    const textOf = ({ message }: { message: string }) => message;
    const cells = { '2.custom.organic': 'must be true or false' };
    expect(errorsByCell(errors, [{ id: 2 }], { all: columns, shown: columns }, textOf)).toEqual({ cells, others: [] });
    expect(errorsByCell(errors, [{ id: 2 }], { all: columns, shown: [PRICE] }, textOf)).toEqual({
      cells,
      others: ['Organic: must be true or false'],
    });
  });
});

describe('changes', () => {
  test('are what differs from what is stored, in the order of the variants', () => {
    const edits: Edits = {
      3: { price: '12,50', stock_qty: '8' },
      1: { price: '20.00', sku: '' },
      2: { sku: '', stock_qty: '4' },
      9: { sku: 'gone' },
    };
    expect(changesOf(edits, THREE, COLUMNS, SHOP)).toEqual([
      { id: 2, sku: null },
      { id: 3, price: 12.5, stock_qty: 8 },
    ]);
  });

  test('with an invalid number are sent, so that the server names the problem', () => {
    expect(changesOf({ 1: { price: 'ten', stock_qty: '' } }, THREE, COLUMNS, SHOP)).toEqual([
      { id: 1, price: 'ten', stock_qty: null },
    ]);
  });

  test('with a number of two readings are named with both', () => {
    const edits: Edits = { 1: { sku: '1,250', price: '1,250' }, 3: { price: '1250' } };
    expect(ambiguousCells(edits, THREE, COLUMNS, SHOP)).toEqual([
      { id: 1, column: PRICE, text: '1,250', readings: ['1250', '1.25'] },
    ]);
  });

  test('with such a number in a precise column are named where it was pasted, but not where it was typed or is stored', () => {
    const rows = [variant(1), variant(2), variant(3, { custom: { weight: 1.125 } })];
    const pasted = withBlock({}, rows, [WEIGHT], { row: 0, column: WEIGHT }, [['1.250'], ['1.250'], ['1.125']]);
    const edits = withText(pasted, 2, WEIGHT, '1.250');
    expect(ambiguousCells(edits, rows, [WEIGHT], SHOP)).toEqual([
      { id: 1, column: WEIGHT, text: '1.250', readings: ['1250', '1.25'] },
    ]);
    expect(changesOf(edits, rows, [WEIGHT], SHOP)).toContainEqual({ id: 2, 'custom.weight': 1.25 });
  });

  test('with errors in a hidden column are named once, with its title', () => {
    const errors = [1, 2].flatMap((id) => [SKU, WEIGHT].map((column) => ({ id, column, text: `wrong ${id}` })));
    expect(byCell(errors, COLUMNS)).toEqual({
      cells: {
        '1.sku': 'wrong 1',
        '2.sku': 'wrong 2',
        '1.custom.weight': 'wrong 1',
        '2.custom.weight': 'wrong 2',
      },
      hidden: ['Weight (g): wrong 1'],
    });
  });

  test('of a column are set in all selected variants that have the field', () => {
    expect(withColumn({ 1: { sku: 'A' } }, THREE, STOCK, '0')).toEqual({
      1: { sku: 'A', stock_qty: '0' },
      3: { stock_qty: '0' },
    });
  });

  test('are dropped once saved, but for what was typed meanwhile', () => {
    const sent: Edits = { 1: { price: '21' }, 2: { sku: 'C' }, 3: { price: '22' } };
    const now = withText(sent, 1, PRICE, '23');
    expect(
      withoutSaved(
        now,
        [
          { id: 1, price: 21 },
          { id: 2, sku: 'C' },
        ],
        sent,
      ),
    ).toEqual({
      1: { price: '23' },
      3: { price: '22' },
    });
  });

  test('are sent in chunks', () => {
    expect(chunksOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
    expect(chunksOf([], 2)).toEqual([]);
  });
});

test('errors stand at the cells that they are about', () => {
  const changes = [
    { id: 7, price: 1 },
    { id: 4, sku: 'A', price: 2 },
  ];
  const errors = [
    { field: 'products.1.price', message: 'products.1.price must have at most 2 decimals' },
    { field: 'products.1.sku', message: 'Another product has this sku' },
    { field: 'products.0.id', message: 'products.0.id refers to an unknown product' },
    { field: 'products', message: 'products is required' },
  ];
  expect(errorsByCell(errors, changes, { all: COLUMNS, shown: COLUMNS }, ({ message }) => message)).toEqual({
    cells: { '4.price': 'must have at most 2 decimals', '4.sku': 'Another product has this sku' },
    others: ['refers to an unknown product', 'products is required'],
  });
});
