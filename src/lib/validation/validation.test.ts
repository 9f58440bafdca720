import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { CalendarDate, FreeForm, Id, Nullable, OneOf, pageQuery, Trimmed } from '../schemas.ts';
import { dropIgnored, ignoredFields } from './ignored-fields.ts';
import { compileQueryReader } from './query-reader.ts';
import { validatorOf } from './validation.ts';

const check = (schema: Parameters<typeof validatorOf>[0], value: unknown) =>
  validatorOf(schema)(value)?.map((error) => `${error.field}: ${error.code}`) ?? null;

describe('a validator', () => {
  it.each([
    [Trimmed({ minLength: 1, maxLength: 5 }), '  abcde\n', null],
    [Trimmed({ minLength: 1, maxLength: 5 }), ' \t ', ['x: too_short']],
    [Trimmed({ maxLength: 5 }), 'abcdef', ['x: too_long']],
    [Nullable(Trimmed({ maxLength: 5 })), null, null],
    [Nullable(Trimmed({ maxLength: 5 })), '   abcde   ', null],
    [Nullable(OneOf(['a', 'b'])), null, null],
    [Nullable(OneOf(['a', 'b'])), 'c', ['x: not_allowed']],
    [OneOf(['a', 'b']), null, ['x: wrong_type', 'x: not_allowed']],
    [Id, 1, null],
    [Id, 0, ['x: out_of_range']],
    [Id, 9_007_199_254_740_992, ['x: out_of_range']],
    [Id, '1', ['x: wrong_type']],
    [Id, 1.5, ['x: wrong_type']],
    [CalendarDate, '2028-02-29', null],
    [CalendarDate, '2027-02-29', ['x: wrong_format']],
    [CalendarDate, '2027-2-9', ['x: wrong_format']],
    [CalendarDate, '0000-01-01', ['x: wrong_format']],
    [CalendarDate, '9999-12-31', null],
    [FreeForm, { any: [1] }, null],
    [FreeForm, [], ['x: wrong_type']],
    [Type.Array(Id, { maxItems: 2 }), [1, 2, 3], ['x: too_long']],
    [Type.Boolean(), 'true', ['x: wrong_type']],
  ])('of %j says of %j: %j', (schema, value, errors) => {
    expect(check(Type.Object({ x: schema }), { x: value })).toEqual(errors);
  });

  it('names fields by their dotted path, odd names and all', () => {
    const schema = Type.Object({ 'a/b~c': Type.Array(Type.Object({ d: Id })) });
    expect(check(schema, { 'a/b~c': [{ d: 1 }, {}] })).toEqual(['a/b~c.1.d: required']);
  });

  it('looks at no item far beyond the bound of its array', () => {
    const inner = Type.Object({ b: Nullable(Type.Array(Type.Object({ id: Id }), { maxItems: 1 })) });
    const schema = Type.Object({ a: Type.Array(inner, { maxItems: 2 }) });
    const fine = { b: [{ id: 1 }] };
    expect(check(schema, { a: [fine, { b: null }] })).toBeNull();
    expect(check(schema, { a: [fine, fine, fine, ...Array(99).fill(7), 7] })).toHaveLength(100);
    expect(check(schema, { a: [...Array(102).fill(fine), 7] })).toEqual(['a: too_long']);
    expect(check(schema, { a: [{ b: [...Array(101).fill({ id: 1 }), 7] }] })).toEqual(['a.0.b: too_long']);
  });

  it('fills in defaults and lowers values over a cap', () => {
    const query: Record<string, unknown> = { per_page: 500 };
    expect(validatorOf(Type.Object(pageQuery(20)))(query)).toBeNull();
    expect(query).toEqual({ page: 1, per_page: 100 });
  });
});

describe('a query reader', () => {
  const read = compileQueryReader(
    Type.Object({ n: Type.Integer(), x: Type.Number(), b: Type.Boolean(), s: Type.String() }),
  );

  it('converts texts to the types of the schema and leaves those that do not parse', () => {
    expect(read({ n: '-12', x: '1.50', b: '0', s: '7', other: '1' })).toEqual({ n: -12, x: 1.5, b: false, s: '7' });
    expect(read({ n: '1.0', x: '1e5', b: 'yes', s: ['a', 'b'] })).toEqual({
      n: '1.0',
      x: '1e5',
      b: 'yes',
      s: ['a', 'b'],
    });
    expect(read({ n: '', x: ' 1', b: '' })).toEqual({ n: '', x: ' 1', b: '' });
  });
});

describe('ignored fields', () => {
  const schema = Type.Object({ a: Id, list: Type.Array(Type.Object({ b: Id })), free: FreeForm });

  it('are those that no part of the schema knows', () => {
    expect(ignoredFields(schema, { a: 1, list: [{ b: 1 }, { b: 1, c: 1 }], free: { x: 1 }, d: 1 })).toBe('list.1.c, d');
    expect(ignoredFields(schema, { toString: 1, constructor: 2 })).toBe('toString, constructor');
    expect(ignoredFields(schema, { a: 1 })).toBe('');
  });

  it('are taken out of the body, and nothing else is', () => {
    const body = JSON.parse('{"a":1,"list":[{"b":1,"c":{"b":1}}],"free":{"x":{"y":1}},"d":1,"__proto__":{"a":2}}');
    dropIgnored(schema, body);
    expect(JSON.stringify(body)).toBe('{"a":1,"list":[{"b":1}],"free":{"x":{"y":1}}}');
  });
});
