import './texts.ts';
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { language, t } from '../../i18n/i18n.ts';
import { instantOf, localMoment } from '../../ui/form/moments.ts';
import { numberOf } from '../../ui/form/numbers.ts';
import type { Field, FieldContext, FieldOf, InputProps, Value, Values } from '../../ui/form/values.ts';
import type { useFormat } from '../../ui/format.tsx';
import type { FieldGroup } from '../../ui/RecordForm.tsx';
import css from './custom-fields.module.css';
import { LongTextsInput, textsIn } from './LongTextsInput.tsx';
import type { CustomField } from './queries.ts';
import { idsIn, Reference, ReferenceInput, type ReferenceType } from './ReferenceInput.tsx';

/*
 * The part of a record's form that is made of its custom fields. Each is a field of the form, `custom.material`; `gathered` puts those of a
 * request into its member `custom`.
 */

const PREFIX = 'custom.';

/** A body with custom values beside its fields. */
export type WithCustom<Body> = Body & { [name: `custom.${string}`]: unknown };

const REFERENCES: readonly string[] = ['media', 'product', 'collection'] satisfies ReferenceType[];
const isReference = (type: CustomField['type']): type is ReferenceType => REFERENCES.includes(type);

const UNITS: Partial<Record<CustomField['type'], string>> = { weight: 'g', length: 'mm' };

/** The section of a form; without custom fields, it has none. */
export function customGroups<Body>(
  fields: readonly CustomField[],
  context: FieldContext,
): FieldGroup<WithCustom<Body>>[] {
  if (fields.length === 0) return [];
  return [
    {
      title: t('nav.custom_fields'),
      fields: fields.map((field) => inputOf(field, context)) as FieldOf<WithCustom<Body>>[],
    },
  ];
}

/** Returns a record's values as the form shows them. */
export function customValues(
  fields: readonly CustomField[],
  custom: Readonly<Record<string, unknown>>,
  { time_zone }: FieldContext,
): Values {
  return Object.fromEntries(
    fields.map((field) => [PREFIX + field.key, typedOf(field, ownValue(custom, field), time_zone)]),
  );
}

/** Moves the custom values of a request's body into its member `custom`. */
export function gathered<Body extends object>(body: WithCustom<Body>): Body & { custom?: Record<string, unknown> } {
  const own: Record<string, unknown> = {};
  const custom: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (name.startsWith(PREFIX)) custom[name.slice(PREFIX.length)] = value;
    else own[name] = value;
  }
  if (Object.keys(custom).length > 0) own.custom = custom;
  return own as Body & { custom?: Record<string, unknown> };
}

/** The field of the form for a field of the API: errors of custom values have their names. */
export function customFieldOf(root: string, whole: string): string {
  return root === 'custom' ? whole : root;
}

/** A key may be the name of a method of objects. */
function ownValue(custom: Readonly<Record<string, unknown>>, { key }: CustomField): unknown {
  return Object.hasOwn(custom, key) ? custom[key] : undefined;
}

function typedOf({ type, list, rules }: CustomField, value: unknown, timeZone: string): Value {
  if (value === undefined || value === null) return '';
  const all = list ? (value as unknown[]) : [value];
  if (isReference(type) || (list && type === 'long_text')) return JSON.stringify(all);
  if (list && type === 'choice') return all.map((one) => (rules.choices ?? []).indexOf(String(one))).join(',');
  return all.map((one) => (type === 'moment' ? localMoment(String(one), timeZone) : String(one))).join('\n');
}

function inputOf(field: CustomField, context: FieldContext): Field {
  const { key, name, type, list, required, rules } = field;
  const unit = UNITS[type] ?? (type === 'money' && list ? context.currency : undefined);
  const base = {
    name: PREFIX + key,
    label: unit === undefined ? name : `${name} (${unit})`,
    ...(required ? { required } : {}),
  } as const;
  if (isReference(type)) {
    const bodyOf = (value: Value): unknown => (list ? idsIn(value) : (idsIn(value)[0] ?? null));
    return { ...base, type: 'custom', custom: { Input: REFERENCE_INPUTS[type][list ? 'many' : 'one'], bodyOf } };
  }
  const read = (text: string): unknown => scalarOf(type, text, context);
  if (type === 'choice' && list) {
    const choices = rules.choices ?? [];
    return {
      ...base,
      type: 'choices',
      choices: choices.map((label, i) => ({ value: String(i), label })),
      bodyOf: (value) =>
        String(value)
          .split(',')
          .filter((at) => at !== '')
          .map((at) => choices[Number(at)]),
    };
  }
  if (list && type === 'long_text') {
    const bodyOf = (value: Value): unknown => textsIn(value).filter((text) => text.trim() !== '');
    return { ...base, type: 'custom', custom: { Input: LongTextsInput, bodyOf } };
  }
  if (list) {
    const bodyOf = (value: Value): unknown => linesOf(value).map(read);
    return { ...base, type: 'long', help: t('custom_field.one_per_line'), bodyOf };
  }
  const bodyOf = (value: Value): unknown => {
    const text = String(value).trim();
    return text === '' ? null : read(text);
  };
  if (type === 'color') return { ...base, type: 'custom', custom: { Input: ColorInput, bodyOf } };
  if (type === 'choice' || type === 'boolean') {
    const choices =
      type === 'choice'
        ? (rules.choices ?? []).map((value) => ({ value, label: value }))
        : [
            { value: 'true', label: t('choice.yes') },
            { value: 'false', label: t('choice.no') },
          ];
    return { ...base, type: 'choice', half: true, choices: [{ value: '', label: '–' }, ...choices], bodyOf };
  }
  return { ...base, ...SHOWN_AS[type], bodyOf };
}

const NUMBER = { type: 'number', precise: true, half: true } as const;
const SHOWN_AS = {
  text: { type: 'text' },
  long_text: { type: 'long' },
  url: { type: 'url' },
  date: { type: 'day', half: true },
  moment: { type: 'moment', half: true },
  integer: NUMBER,
  decimal: NUMBER,
  weight: NUMBER,
  length: NUMBER,
  money: { type: 'money', half: true },
} as const;

/** The same components at each rendering: with others, a field would lose what is typed. */
const REFERENCE_INPUTS = {
  media: referenceInputs('media'),
  product: referenceInputs('product'),
  collection: referenceInputs('collection'),
};

function referenceInputs(type: ReferenceType) {
  return {
    one: (props: InputProps) => <ReferenceInput type={type} list={false} props={props} />,
    many: (props: InputProps) => <ReferenceInput type={type} list props={props} />,
  };
}

function linesOf(value: Value): string[] {
  return String(value)
    .split('\n')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function scalarOf(type: CustomField['type'], text: string, { time_zone }: FieldContext): unknown {
  switch (type) {
    case 'integer':
    case 'decimal':
    case 'weight':
    case 'length':
    case 'money':
      return numberOf(text, true);
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'moment':
      return instantOf(text, time_zone);
    default:
      return text;
  }
}

/** A color as #rrggbb, typed or chosen. */
function ColorInput({ field, value, error, onChange }: InputProps) {
  const text = String(value);
  return (
    <div className={css.color}>
      <TextInput
        className="grow"
        label={field.label}
        name={field.name}
        required={field.required ?? false}
        error={error}
        placeholder="#1a2b3c"
        autoComplete="off"
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <input
        type="color"
        aria-label={t('custom_field.choose_color', { name: field.label })}
        value={/^#[0-9a-f]{6}$/i.test(text) ? text : '#000000'}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}

/** A record's custom values as facts; those without a value are left out. */
export function customFacts(
  fields: readonly CustomField[],
  custom: Readonly<Record<string, unknown>>,
  format: ReturnType<typeof useFormat>,
): [string, ReactNode][] {
  return fields.flatMap((field): [string, ReactNode][] => {
    const value = ownValue(custom, field);
    if (value === undefined) return [];
    const all = Array.isArray(value) ? value : [value];
    const { key, name, type } = field;
    if (isReference(type)) {
      const names = [...new Set(all.map(Number))].map((id) => <Reference key={id} type={type} id={id} />);
      return [[name, <span key={key}>{names}</span>]];
    }
    return [[name, all.map((one) => shownOf(field, one, format)).join(', ')]];
  });
}

function shownOf({ type }: CustomField, value: unknown, format: ReturnType<typeof useFormat>): string {
  switch (type) {
    case 'boolean':
      return value === true ? t('choice.yes') : t('choice.no');
    case 'moment':
      return format.moment(String(value));
    case 'date':
      return format.day(String(value));
    case 'money':
      return format.money(Number(value));
    case 'integer':
    case 'decimal':
      return exact(Number(value));
    case 'weight':
    case 'length':
      return `${exact(Number(value))} ${UNITS[type]}`;
    default:
      return String(value);
  }
}

function exact(value: number): string {
  return new Intl.NumberFormat(language(), { maximumFractionDigits: 6 }).format(value);
}
