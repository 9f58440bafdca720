import type { ReactNode } from 'react';
import type { FieldError } from '../../api/errors.ts';
import { instantOf } from './moments.ts';
import { digitsOf, numberOf } from './numbers.ts';

/** What a country, state, time zone or currency is chosen from. */
export type Places = 'country' | 'state' | 'zone' | 'currency';

/** A field's value as it is typed. */
export type Value = string | boolean;
export type Values = Record<string, Value>;

export interface Field {
  /** The API's name of the field, where its errors are shown. */
  name: string;
  label: string;
  type:
    | 'text'
    | 'email'
    | 'long'
    /** Text, or HTML where it has formatting. */
    | 'rich'
    /** Many lines of markup. */
    | 'code'
    | 'number'
    | 'money'
    | 'switch'
    | 'choice'
    | 'words'
    | 'day'
    | 'moment'
    | 'password'
    | 'url'
    /** Several of the choices, as a list of words. */
    | 'choices'
    /** One of `places`. */
    | 'pick'
    /** Several of `places`, as a list of words. */
    | 'picks'
    /** Rendered and parsed by `custom`. */
    | 'custom';
  choices?: { value: string; label: string }[];
  places?: Places;
  custom?: { Input(props: InputProps): ReactNode; bodyOf(value: Value): unknown };
  /** Converts what is typed where the API's value differs from that of the type. */
  bodyOf?(value: Value): unknown;
  required?: true;
  help?: string;
  /** The name of the field with the country, or countries, whose states are offered. */
  statesOf?: string;
  /** The field is omitted, and not sent, unless this holds. */
  when?(values: Values): boolean;
  /** Takes half of the row. */
  half?: true;
  /** A rate: three digits after the separator are a fraction. */
  precise?: true;
  /** Typed and shown in percent, where the API has a fraction of 1. */
  percent?: true;
}

type Text = 'pick' | 'text' | 'email' | 'long' | 'rich' | 'code' | 'choice' | 'day' | 'moment' | 'password' | 'url';
/** The types of field that send a value of the API. */
type TypeOf<Sent> = Sent extends boolean
  ? 'switch'
  : Sent extends number
    ? 'number' | 'money'
    : Sent extends string
      ? Text
      : Sent extends readonly string[]
        ? 'words' | 'choices' | 'picks'
        : never;

/** The names in a body whose values that type of field sends. */
type NameOf<Body, Type> = {
  [Name in keyof Body & string]-?: Type extends TypeOf<Body[Name]> | 'custom' ? Name : never;
}[keyof Body & string];

/** A field that is part of a request body: with a name of the body and a type, or a conversion, for its value. */
export type FieldOf<Body> = Field &
  (string extends keyof Body
    ? unknown
    :
        | { [Type in Field['type']]: { type: Type; name: NameOf<Body, Type> } }[Field['type']]
        | { bodyOf(value: Value): unknown; name: keyof Body });
/** A body whose fields are only known at run time. */
export type AnyBody = Record<string, unknown>;

/** Makes a body of the fields' values. An invalid text stays a text: the server refuses it, and the error is shown at its field. */
export function bodyOfFields<Body extends object>(
  fields: readonly Field[],
  values: Values,
  context: FieldContext,
): Body {
  return Object.fromEntries(
    fields.map((field) => [field.name, bodyValue(field, values[field.name] ?? '', context)]),
  ) as Body;
}

/** Returns a record's values as a form shows them, or those of an empty form. Lists and objects begin empty. */
export function initialValues(fields: readonly Field[], record: Readonly<Record<string, unknown>> = {}): Values {
  const shown = ({ name, type }: Field): Value => {
    const value = record[name];
    if (type === 'switch') return value === true;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  return Object.fromEntries(fields.map((field) => [field.name, shown(field)]));
}

/** `categories[0]` and `/images/1/url` belong to the field that they begin with. */
export function rootOf(field: string): string {
  return /^[/.]?(\w+)/.exec(field)?.[1] ?? field;
}

/** The name of the field that an error is about, of those of a form: `custom.material` is a field itself. */
export function fieldOfError({ field }: FieldError, names: ReadonlySet<string>): string {
  return names.has(field) ? field : rootOf(field);
}

/** What parsing a field depends on: both are the shop's. */
export interface FieldContext {
  currency: string;
  time_zone: string;
}

/** Converts what is typed to the API's value: an empty field is null, or an empty list. */
export function bodyValue(field: Field, value: Value, { currency, time_zone }: FieldContext): unknown {
  const { type, custom, bodyOf } = field;
  if (custom !== undefined) return custom.bodyOf(value);
  if (bodyOf !== undefined) return bodyOf(value);
  if (typeof value === 'boolean') return value;
  const text = value.trim();
  if (type === 'words' || type === 'choices' || type === 'picks') return wordsOf(text);
  if (type === 'code' || type === 'rich') return value;
  if (text === '') return type === 'long' ? '' : null;
  if (type === 'number' || type === 'money') {
    const number = numberOf(text, isPrecise(field, currency));
    return field.percent && typeof number === 'number' ? Number((number / 100).toFixed(8)) : number;
  }
  if (type === 'moment') return instantOf(text, time_zone);
  return type === 'password' ? value : text;
}

/** Returns the API's fraction as it is typed in a field of percent. */
export function percentText(fraction: number | null): string {
  return fraction === null ? '' : String(Number((fraction * 100).toFixed(6)));
}

/** The error of a field with its limits as they are typed. */
export function shownError(error: FieldError, fields: readonly Field[]): FieldError {
  const limit = error.params?.limit;
  const isPercent = fields.find(({ name }) => name === error.field)?.percent === true;
  return isPercent && typeof limit === 'number'
    ? { ...error, params: { ...error.params, limit: Number(percentText(limit)) } }
    : error;
}

/** One per line, or separated by commas. */
export function wordsOf(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** Whether three digits after the separator are a fraction. */
export function isPrecise({ type, precise }: Field, currency: string): boolean {
  return type === 'money' ? digitsOf(currency) > 2 : precise === true;
}

export interface InputProps {
  field: Field;
  value: Value;
  error: string | undefined;
  /** The value of the field that `statesOf` names. */
  country?: string | undefined;
  context: FieldContext;
  onChange(value: Value): void;
}
