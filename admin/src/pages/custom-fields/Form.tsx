import './texts.ts';
import {
  CUSTOM_FIELD_OWNERS,
  CUSTOM_FIELD_TYPES,
  type CustomFieldType,
  FILTERABLE_TYPES,
  RULES_OF,
} from '../../../../src/commerce/custom-fields/definition.ts';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { DeleteButton } from '../../ui/DeleteButton.tsx';
import { Loaded } from '../../ui/DetailPage.tsx';
import { instantOf, localMoment } from '../../ui/form/moments.ts';
import { numberOf } from '../../ui/form/numbers.ts';
import type { FieldOf, Values } from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { type CustomField, useCustomField } from './queries.ts';

type NewField = BodyOf<'/custom-fields', 'post'>;
type Rules = NonNullable<NewField['rules']>;
/** The rules are fields of their own, which `rulesOf` puts together. */
type Typed = NewField & { [Rule in 'min' | 'max' | 'max_length' | 'choices']: unknown };

const typeOf = (values: Values): CustomFieldType => values.type as CustomFieldType;
const hasRule = (rule: keyof Rules, values: Values): boolean => RULES_OF[typeOf(values)].includes(rule);
const isFilterable = ({ on, type }: Values): boolean =>
  (on === 'product' || on === 'variant') && FILTERABLE_TYPES.some((one) => one === type);

/** A bound is a number, a day or a moment, by the type. */
const bounds = (rule: 'min' | 'max'): FieldOf<Typed>[] => {
  const common = { name: rule, label: t(`custom_field.${rule}`), half: true, bodyOf: String } as const;
  const isDay = (values: Values): boolean => typeOf(values) === 'date';
  const isMoment = (values: Values): boolean => typeOf(values) === 'moment';
  return [
    {
      ...common,
      type: 'number',
      precise: true,
      when: (values) => hasRule(rule, values) && !isDay(values) && !isMoment(values),
    },
    { ...common, type: 'day', when: isDay },
    { ...common, type: 'moment', when: isMoment },
  ];
};

const groups = (isNew: boolean): FieldGroup<Typed>[] => [
  {
    title: t('section.details'),
    fields: [
      { name: 'name', label: t('field.name'), type: 'text', required: true },
      ...(isNew ? identity() : []),
      {
        name: 'type',
        label: t('custom_field.type'),
        type: 'choice',
        required: true,
        half: true,
        choices: CUSTOM_FIELD_TYPES.map((value) => ({ value, label: tOf('custom_field.type', value) })),
      },
      {
        name: 'position',
        label: t('field.position'),
        type: 'number',
        half: true,
        help: t('custom_field.position.help'),
      },
      { name: 'list', label: t('custom_field.list'), type: 'switch', help: t('custom_field.list.help') },
      { name: 'required', label: t('custom_field.required'), type: 'switch', help: t('custom_field.required.help') },
    ],
  },
  {
    title: t('custom_field.rules'),
    fields: [
      ...bounds('min'),
      ...bounds('max'),
      {
        name: 'max_length',
        label: t('custom_field.max_length'),
        type: 'number',
        half: true,
        help: t('custom_field.max_length.help'),
        bodyOf: String,
        when: (values) => hasRule('max_length', values),
      },
      {
        name: 'choices',
        label: t('custom_field.choices'),
        type: 'long',
        required: true,
        help: t('custom_field.one_per_line'),
        bodyOf: String,
        when: (values) => hasRule('choices', values),
      },
    ],
  },
  {
    title: t('custom_field.use'),
    fields: [
      {
        name: 'visible',
        label: t('custom_field.visible'),
        type: 'choice',
        required: true,
        choices: ['staff', 'store'].map((value) => ({ value, label: tOf('custom_field.visible', value) })),
        help: t('custom_field.visible.help'),
      },
      {
        name: 'filterable',
        label: t('custom_field.filterable'),
        type: 'switch',
        help: t('custom_field.filterable.help'),
        when: isFilterable,
      },
    ],
  },
];

const identity = (): FieldOf<Typed>[] => [
  {
    name: 'on',
    label: t('custom_field.on'),
    type: 'choice',
    required: true,
    half: true,
    choices: CUSTOM_FIELD_OWNERS.map((value) => ({ value, label: tOf('custom_field.on', value) })),
    help: t('custom_field.on.help'),
  },
  {
    name: 'key',
    label: t('custom_field.key'),
    type: 'text',
    required: true,
    half: true,
    help: t('custom_field.key.help'),
  },
];

const EMPTY: Values = {
  name: '',
  on: 'product',
  key: '',
  type: 'text',
  position: '',
  list: false,
  required: false,
  min: '',
  max: '',
  max_length: '',
  choices: '',
  visible: 'staff',
  filterable: false,
};

/** Puts the rules that are typed together, those of the type. */
function rulesOf(values: Values, timeZone: string): Rules {
  const rules: Record<string, unknown> = {};
  for (const rule of RULES_OF[typeOf(values)]) {
    const text = String(values[rule] ?? '').trim();
    if (text === '') continue;
    if (rule === 'choices')
      rules.choices = text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    else if (typeOf(values) === 'date') rules[rule] = text;
    else if (typeOf(values) === 'moment') rules[rule] = instantOf(text, timeZone);
    else rules[rule] = numberOf(text, true);
  }
  // What is no number is refused by the server, which names the rule.
  return rules as Rules;
}

/** Errors of rules are shown at their fields. */
const fieldOf = (root: string, _values: Values, whole: string): string =>
  root === 'rules' ? (whole.split('.')[1] ?? root) : root;

/** The body without the rules' fields, which the member `rules` has. */
function withoutRules({ min: _, max: __, max_length: ___, choices: ____, ...body }: Partial<Typed>) {
  return body;
}

export function CreatePage() {
  const { api, company } = useShop();
  return (
    <>
      <PageHeader title={t('custom_field.new')} back={{ path: 'custom-fields', text: t('nav.custom_fields') }} />
      <RecordForm<Typed>
        draft="custom-fields-new"
        groups={groups(true)}
        initial={EMPTY}
        whole
        save={(body, values) => {
          const sent = { ...withoutRules(body), rules: rulesOf(values, company.time_zone) } as NewField;
          return dataOf(api.POST('/custom-fields', { body: sent }));
        }}
        done={{ path: 'custom-fields', text: t('form.created') }}
        cancel="custom-fields"
        submit={t('action.create')}
        fieldOf={fieldOf}
      />
    </>
  );
}

export function EditPage() {
  return <Loaded query={useCustomField(useId())}>{(field) => <Edit field={field} />}</Loaded>;
}

function valuesOf({ rules, ...field }: CustomField, timeZone: string): Values {
  const bound = (value: number | string | undefined): string => {
    if (value === undefined) return '';
    return field.type === 'moment' ? localMoment(String(value), timeZone) : String(value);
  };
  return {
    name: field.name,
    on: field.on,
    type: field.type,
    position: String(field.position),
    list: field.list,
    required: field.required,
    min: bound(rules.min),
    max: bound(rules.max),
    max_length: rules.max_length === undefined ? '' : String(rules.max_length),
    choices: (rules.choices ?? []).join('\n'),
    visible: field.visible,
    filterable: field.filterable,
  };
}

function Edit({ field }: { field: CustomField }) {
  const { api, can, company } = useShop();
  const params = { path: { id: field.id } };
  const readOnly = !can('settings:write');
  return (
    <>
      <PageHeader title={field.name} back={{ path: 'custom-fields', text: t('nav.custom_fields') }}>
        <span className="dim">{`${tOf('custom_field.on', field.on)} · ${field.key}`}</span>
        {readOnly ? null : (
          <DeleteButton
            name={field.name}
            text={t('custom_field.delete.text')}
            list="custom-fields"
            remove={() => dataOf(api.DELETE('/custom-fields/{id}', { params }))}
          />
        )}
      </PageHeader>
      <RecordForm<Typed>
        draft={`custom-fields-${field.id}`}
        groups={groups(false)}
        readOnly={readOnly}
        initial={valuesOf(field, company.time_zone)}
        save={(body, values) => {
          const isRule = Object.keys(body).some((name) => name === 'type' || name in RULE_NAMES);
          const own = withoutRules(body);
          const sent = isRule ? { ...own, rules: rulesOf(values, company.time_zone) } : own;
          return dataOf(api.PATCH('/custom-fields/{id}', { params, body: sent }));
        }}
        done={{ path: 'custom-fields', text: t('form.saved') }}
        cancel="custom-fields"
        submit={t('action.save')}
        fieldOf={fieldOf}
      />
    </>
  );
}

const RULE_NAMES = { min: true, max: true, max_length: true, choices: true } as const;
