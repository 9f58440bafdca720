import { NativeSelect, TextInput } from '@mantine/core';
import { RFM_CLASSES } from '../../../src/marketing/rules/rfm.ts';
import type { Rule } from '../../../src/rules/language.ts';
import { useShop } from '../app/session.tsx';
import { t, tOf } from '../i18n/i18n.ts';
import { CategoryPick } from '../pages/categories/CategoryPick.tsx';
import { type Choice, shapeOf, typedValue, type ValueType, valueTypeOf } from './comparisons.ts';
import { useRules } from './context.ts';
import { withValue } from './edit.ts';
import type { Field } from './fields.ts';
import type { Offer } from './offer.ts';
import { ProductsInput } from './ProductsInput.tsx';
import { textsOf } from './read.ts';
import css from './rules.module.css';
import { type Option, Several } from './Several.tsx';

const STATUSES = ['new', 'subscribed', 'unsubscribed', 'bounced'];
const CHOICES: readonly ValueType[] = ['status', 'list', 'collection', 'class', 'flag', 'choice'] satisfies Choice[];
/** The values of the others, and the prefix of their texts. */
const VALUES = {
  status: [STATUSES, 'contact.status'],
  class: [RFM_CLASSES, 'rule.class'],
  flag: [['true', 'false'], 'rule.flag'],
} as const;

function optionsOf(type: ValueType, { custom }: Field, { lists, collections }: Offer): Option[] | null {
  if (!isChoice(type)) return null;
  if (type === 'list') return lists.map(({ list_id, name }) => ({ value: String(list_id), label: name }));
  if (type === 'collection') return collections.map(({ id, name }) => ({ value: String(id), label: name }));
  if (type === 'choice') return (custom?.choices ?? []).map((value) => ({ value, label: value }));
  const [values, prefix] = VALUES[type];
  return values.map((value) => ({ value, label: tOf(prefix, value) }));
}

function isChoice(type: ValueType): type is Choice {
  return CHOICES.includes(type);
}

interface ValueInputProps {
  rule: Rule;
  field: Field;
  path: string;
  onChange(next: Rule): void;
}

/** The value that a field is compared to, with an input for the field's type. */
export function ValueInput({ rule, field, path, onChange }: ValueInputProps) {
  const { offer, problems, errors, strict } = useRules();
  const shape = shapeOf(rule.comparison);
  if (shape === 'none') return null;
  const type = valueTypeOf(field, rule.comparison);
  const values = textsOf(rule.value);
  const place = `${path}.value`;
  const isProblem = problems.has(place) && (strict || (values.length > 0 && !values.includes('')));
  const options = optionsOf(type, field, offer);
  const problem =
    shape === 'many' || options !== null || type === 'product' ? t('rule.problem.choice') : problemOf(type);
  const error = errors.get(place) ?? (isProblem ? problem : undefined);
  const set = (value: unknown) => onChange(withValue(rule, value));
  const typed = (text: string): unknown =>
    type === 'list' || type === 'collection' ? Number(text) : typedValue(type, text);
  if (type === 'product') {
    const ids = values.filter((value) => value !== '').map(Number);
    return (
      <ProductsInput ids={ids} error={error} onChange={(next) => set(shape === 'many' ? next : (next.at(-1) ?? ''))} />
    );
  }
  if (shape === 'many') {
    return (
      <Several
        values={values}
        options={options}
        error={error}
        categories={isCategory(field)}
        onAdd={(text) => set([...(rule.value as unknown[]), typed(text)])}
        onRemove={(i) => set((rule.value as unknown[]).toSpliced(i, 1))}
      />
    );
  }
  if (shape === 'pair') {
    const pair = rule.value as unknown[];
    return (
      <>
        <One
          type={type}
          error={error}
          label={t('rule.value')}
          text={values[0] ?? ''}
          onChange={(text) => set([typed(text), pair[1]])}
        />
        <span aria-hidden="true">–</span>
        <One
          type={type}
          label={t('rule.value.to')}
          text={values[1] ?? ''}
          onChange={(text) => set([pair[0], typed(text)])}
        />
      </>
    );
  }
  const text = values[0] ?? '';
  if (options === null) {
    return (
      <One
        type={type}
        error={error}
        text={text}
        label={t('rule.value')}
        categories={isCategory(field)}
        onChange={(next) => set(typed(next))}
      />
    );
  }
  const unknown = text !== '' && !options.some(({ value }) => value === text);
  return (
    <NativeSelect
      size="xs"
      className={css.value}
      aria-label={t('rule.value')}
      value={text}
      error={error}
      data={[
        ...(text === '' ? [{ value: '', label: t('rule.value.pick') }] : []),
        ...(unknown ? [{ value: text, label: type === 'list' || type === 'collection' ? `#${text}` : text }] : []),
        ...options,
      ]}
      onChange={(event) => set(typed(event.currentTarget.value))}
    />
  );
}

/** Whether the values are slugs of categories. */
function isCategory({ source, measure, path }: Field): boolean {
  return source === 'categories' || measure === 'categories' || (source === 'data' && path === 'items.categories');
}

function problemOf(type: ValueType): string {
  switch (type) {
    case 'number':
    case 'money':
    case 'day':
    case 'days':
    case 'any':
      return t(`rule.problem.${type}`);
    default:
      return t('rule.problem.text');
  }
}

interface OneProps {
  type: ValueType;
  label: string;
  text: string;
  error?: string | undefined;
  /** It is one of a category. */
  categories?: boolean;
  onChange(text: string): void;
}

/** A field for one value. */
function One({ type, label, text, error, categories = false, onChange }: OneProps) {
  const { company } = useShop();
  if (categories)
    return (
      <div className={css.value}>
        <CategoryPick hidden size="xs" label={label} error={error} value={text} onChange={onChange} />
      </div>
    );
  const common = {
    size: 'xs',
    'aria-label': label,
    autoComplete: 'off',
    error,
    value: text,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  } as const;
  switch (type) {
    case 'number':
      return <TextInput {...common} className={css.number} inputMode="decimal" />;
    case 'money':
      return (
        <TextInput
          {...common}
          className={css.value}
          inputMode="decimal"
          rightSection={<span className={css.unit}>{company.currency}</span>}
          rightSectionWidth={44}
        />
      );
    case 'days':
      return (
        <TextInput
          {...common}
          className={css.value}
          inputMode="numeric"
          rightSection={<span className={css.unit}>{t('rule.days')}</span>}
          rightSectionWidth={44}
        />
      );
    case 'day':
      // A date with a time is not a valid value of a browser's date field.
      return <TextInput {...common} className={css.value} type={/^(\d{4}-\d\d-\d\d)?$/.test(text) ? 'date' : 'text'} />;
    default:
      return <TextInput {...common} className={css.value} />;
  }
}
