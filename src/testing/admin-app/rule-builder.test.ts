import { readFileSync } from 'node:fs';
import { setupI18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  comparisonsOf,
  isComparable,
  shapeOf,
  typedValue,
  type ValueType,
  valueTypeOf,
} from '../../../admin/src/rules/comparisons.ts';
import {
  countRules,
  newRule,
  withAdded,
  withComparison,
  withDays,
  withField,
  without,
  withRule,
  withValue,
  withWhere,
} from '../../../admin/src/rules/edit.ts';
import {
  CONTACT_FIELDS,
  type CustomField,
  fieldNamed,
  isProducts,
  MESSAGE_SOURCES,
  measuresOf,
  PRODUCT_FIELDS,
  type Products,
  readField,
  type Subject,
  takesDays,
  takesWhere,
} from '../../../admin/src/rules/fields.ts';
import { isComplete, placesOf, problemsOf } from '../../../admin/src/rules/problems.ts';
import { isShownGroup, readRule } from '../../../admin/src/rules/read.ts';
import { sentenceOf, type Words } from '../../../admin/src/rules/sentence.ts';
import { checkProductRules } from '../../commerce/collections/rules.ts';
import { CUSTOM_FIELD_TYPES } from '../../commerce/custom-fields/definition.ts';
import { checkRules } from '../../marketing/rules/check.ts';
import { kindOfMeasure, parseContactField } from '../../marketing/rules/fields.ts';
import { createSegment } from '../../marketing/segments/contract.ts';
import { COMPARISONS, isGroup, type Rule, type RuleGroup } from '../../rules/language.ts';

const SOURCES = [
  'purchases',
  ...MESSAGE_SOURCES,
  'events.order_placed',
  'events.product_viewed',
  ...Object.keys(CONTACT_FIELDS),
];
/** Products with a custom field of each type, and one of variants with the key of another type. */
const PRODUCTS = {
  customFields: [
    ...CUSTOM_FIELD_TYPES.map(
      (type): CustomField => ({
        on: 'product',
        key: `of_${type}`,
        name: `Of ${type}`,
        type,
        rules: type === 'choice' ? { choices: ['tea', 'coffee'] } : {},
      }),
    ),
    { on: 'variant', key: 'of_text', name: 'Number', type: 'integer', rules: {} },
  ],
} satisfies Products;

const OF_CUSTOMERS: CustomField[] = [
  { on: 'customer', key: 'birthday', name: 'Birthday', type: 'date', rules: {} },
  { on: 'customer', key: 'tier', name: 'Tier', type: 'choice', rules: { choices: ['gold', 'silver'] } },
];

/** Every field that is offered to rules on the subject. */
function offeredFields(subject: 'contact' | 'event' | Products): string[] {
  if (isProducts(subject)) {
    const custom = new Set((subject.customFields ?? []).map(({ key }) => fieldNamed(subject, `custom.${key}`)));
    return [...Object.keys(PRODUCT_FIELDS), fieldNamed(subject, 'option', 'Sleeve length'), ...custom];
  }
  const named = SOURCES.flatMap((source) => {
    const measures = measuresOf(source);
    return measures.length === 0
      ? [fieldNamed(subject, source)]
      : measures.map((measure) => fieldNamed(subject, source, measure));
  });
  return [...named, fieldNamed(subject, 'properties', 'plan'), ...(subject === 'event' ? ['items.price'] : [])];
}

const SUBJECTS = ['contact', 'event', 'data'] as const;

const FILLED: Record<ValueType, string> = {
  none: '',
  text: 'tea',
  number: '5',
  money: '12.50',
  day: '2026-03-31',
  days: '60',
  any: '7',
  status: 'subscribed',
  list: '3',
  collection: '4',
  product: '7',
  class: 'champions',
  flag: 'true',
  choice: 'tea',
};

/** The rule with its values typed. */
function filled(rule: Rule, subject: Subject): Rule {
  const type = valueTypeOf(readField(rule.field, subject)!, rule.comparison);
  const value = type === 'list' ? 3 : typedValue(type, FILLED[type]);
  const values = { none: undefined, one: value, many: [value], pair: [value, value] }[shapeOf(rule.comparison)];
  return values === undefined ? rule : withValue(rule, values);
}

const errorsOf = (rules: (Rule | RuleGroup)[], subject: Subject) =>
  isProducts(subject)
    ? checkProductRules({ operator: 'and', rules }, 'conditions', subject.customFields)
    : checkRules({ operator: 'and', rules }, 'conditions', subject);

describe('rules made by the rule builder', () => {
  test.each(['contact', 'event', PRODUCTS] as const)(
    'is accepted by the API, for every field and comparison on %j',
    (subject) => {
      let made = 0;
      for (const name of offeredFields(subject)) {
        const begun = withField(newRule(), name, subject);
        const field = readField(name, subject)!;
        for (const comparison of comparisonsOf(field)) {
          const rule = filled(withComparison(begun, comparison, subject), subject);
          expect(errorsOf([rule], subject)).toEqual([]);
          expect(readRule(rule, subject).as).toBe('rule');
          if (takesDays(field)) expect(errorsOf([withDays(rule, 30)], subject)).toEqual([]);
          if (takesWhere(field)) {
            const where = withAdded({ rules: [] }, filled({ ...newRule(), field: 'items.name' }, 'data'));
            expect(errorsOf([withWhere(rule, where)], subject)).toEqual([]);
          }
          made += 1;
        }
      }
      expect(made).toBeGreaterThan(200);
    },
  );

  test('compares custom fields by exactly what the API takes', () => {
    for (const name of offeredFields(PRODUCTS).filter((one) => one.startsWith('custom.'))) {
      const field = readField(name, PRODUCTS)!;
      for (const comparison of COMPARISONS) {
        const values = [5, '2026-03-31', 'tea', true, [5, 6], ['2026-03-30', '2026-03-31'], ['tea'], undefined];
        const taken = values.some((value) => errorsOf([{ field: name, comparison, value }], PRODUCTS).length === 0);
        expect(`${name} ${comparison} ${isComparable(field, comparison)}`).toBe(`${name} ${comparison} ${taken}`);
      }
    }
  });

  test('on custom fields is kept and sent where these are not known', () => {
    const rule: Rule = { field: 'custom.of_date', comparison: 'before', value: '2026-03-31' };
    expect(readRule(rule, PRODUCTS)).toMatchObject({ as: 'rule', field: { kind: 'moment', source: 'custom.of_date' } });
    expect(readRule(rule, { customFields: null })).toMatchObject({ as: 'rule', field: { kind: 'any' } });
    expect(isComplete({ rules: [rule] }, { customFields: null })).toBe(true);
    expect(readRule(rule, { customFields: [] })).toEqual({ as: 'unknown' });
    expect([...problemsOf({ rules: [rule] }, { customFields: [] }).keys()]).toEqual(['rules.0.field']);
  });

  test('compares histories by exactly what the API takes', () => {
    for (const name of offeredFields('contact')) {
      const field = readField(name, 'contact')!;
      if (field.history === null) continue;
      for (const comparison of COMPARISONS) {
        const values = [5, '2026-03-31', 'champions', [5, 6], ['2026-03-30', '2026-03-31'], ['champions'], undefined];
        const taken = values.some((value) => errorsOf([{ field: name, comparison, value }], 'contact').length === 0);
        expect(`${name} ${comparison} ${isComparable(field, comparison)}`).toBe(`${name} ${comparison} ${taken}`);
      }
    }
  });

  test('goes through any sequence of choices without a rule that it does not know itself', () => {
    const step = fc.tuple(fc.nat(), fc.nat(), fc.boolean());
    fc.assert(
      fc.property(
        fc.constantFrom('contact' as const, 'event' as const),
        fc.array(step, { maxLength: 12 }),
        (subject, steps) => {
          const names = offeredFields(subject);
          let rule = newRule();
          for (const [a, b, fill] of steps) {
            rule = withField(rule, names[a % names.length]!, subject);
            const field = readField(rule.field, subject)!;
            const comparisons = comparisonsOf(field);
            rule = withComparison(rule, comparisons[b % comparisons.length]!, subject);
            if (fill) rule = filled(rule, subject);
            if (fill && takesDays(field)) rule = withDays(rule, (b % 90) + 1);
            expect(readRule(rule, subject).as).toBe('rule');
            if (fill) expect(errorsOf([rule], subject)).toEqual([]);
          }
        },
      ),
    );
  });
});

/** Changes each part to what it is. */
function unchanged(value: unknown, subject: Subject): unknown {
  const shown = readRule(value, subject);
  if (shown.as === 'group') {
    return shown.group.rules.reduce<RuleGroup>(
      (group, rule, i) => withRule(group, i, unchanged(rule, subject) as Rule),
      shown.group,
    );
  }
  if (shown.as !== 'rule') return value;
  let rule = withField(shown.rule, shown.rule.field, subject);
  if (Object.hasOwn(rule, 'value')) rule = withValue(rule, rule.value);
  if (rule.within_days !== undefined) rule = withDays(rule, rule.within_days);
  return rule.where === undefined ? rule : withWhere(rule, unchanged(rule.where, 'data') as RuleGroup);
}

const words = (language: 'en' | 'de'): Words => {
  const file = new URL(`../../../admin/src/i18n/${language}/rules.json`, import.meta.url);
  const texts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  const i18n = setupI18n();
  i18n.load(language, Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, compileMessage(text)])));
  i18n.activate(language);
  const say = (key: string, values?: Record<string, unknown>): string => {
    expect(texts).toHaveProperty([`rule.${key}`]);
    return i18n._(`rule.${key}`, values);
  };
  return {
    say,
    sayOf: (prefix, value) => texts[`${prefix}.${value}`] ?? value,
    number: (value) => new Intl.NumberFormat(language).format(value),
    money: (value) => new Intl.NumberFormat(language, { style: 'currency', currency: 'EUR' }).format(value),
    day: (text) => text,
    customFields: OF_CUSTOMERS,
    list: (id) => ({ 3: 'Newsletter' })[id] ?? `#${id}`,
    collection: (id) => ({ 4: 'Tea' })[id] ?? `#${id}`,
    product: (id) => ({ 7: 'Shirt' })[id] ?? `#${id}`,
    join: (parts, operator) =>
      new Intl.ListFormat(language, { type: operator === 'or' ? 'disjunction' : 'conjunction' }).format(parts),
  };
};

describe('custom fields of customers', () => {
  test.each(['contact', 'event'] as const)(
    'have the comparisons and choices of their type in rules on a %s',
    (subject) => {
      const name = fieldNamed(subject, 'custom.birthday');
      expect(name).toBe(subject === 'event' ? 'contact.custom.birthday' : 'custom.birthday');
      const made = withField({ field: '', comparison: 'equals', value: '' }, name, subject, OF_CUSTOMERS);
      expect(made).toEqual({ field: name, comparison: 'within_last_days', value: 30 });
      expect(errorsOf([made], subject)).toEqual([]);
      const tier = { field: fieldNamed(subject, 'custom.tier'), comparison: 'equals', value: 'gold' } as const;
      expect(readRule(tier, subject, OF_CUSTOMERS)).toMatchObject({
        as: 'rule',
        field: { kind: 'choice', custom: { name: 'Tier', choices: ['gold', 'silver'] } },
      });
      expect(sentenceOf({ rules: [tier] }, subject, words('en'))).toMatch(/tier is “gold”/i);
    },
  );

  test('that are not known take any value, under their key', () => {
    const gone = { field: 'custom.gone', comparison: 'contains', value: 'x' } as const;
    expect(readRule(gone, 'contact', OF_CUSTOMERS)).toMatchObject({ as: 'rule', field: { kind: 'any' } });
    expect(sentenceOf({ rules: [gone] }, 'contact', words('en'))).toMatch(/gone contains “x”/i);
  });
});

describe('rules that somebody else wrote', () => {
  const anything = fc.letrec((tie) => ({
    rule: fc.oneof(
      { maxDepth: 3 },
      fc.record(
        {
          field: fc.oneof(fc.constantFrom(...offeredFields('contact'), 'shoe_size', 'contact.email', ''), fc.string()),
          comparison: fc.oneof(fc.constantFrom(...COMPARISONS), fc.string()),
          value: fc.jsonValue(),
          within_days: fc.oneof(fc.nat(), fc.jsonValue()),
          where: tie('group'),
        },
        { requiredKeys: ['field', 'comparison'] },
      ),
      fc.jsonValue(),
      tie('group'),
    ),
    group: fc.record(
      {
        operator: fc.constantFrom('and', 'or', 'xor'),
        rules: fc.array(tie('rule'), { maxLength: 4 }),
        note: fc.string(),
      },
      { requiredKeys: ['rules'] },
    ),
  }));

  test('are equal JSON after nothing was changed, and have a sentence', () => {
    fc.assert(
      fc.property(anything.group, fc.constantFrom<Subject>('contact', 'event', 'data'), (group, subject) => {
        const before = JSON.stringify(group);
        expect(JSON.stringify(unchanged(group, subject))).toBe(before);
        expect(sentenceOf(group, subject, words('en'))).not.toBe('');
        problemsOf(group, subject);
        if (isShownGroup(group)) countRules(group);
        expect(JSON.stringify(group)).toBe(before);
      }),
      { numRuns: 300 },
    );
  });

  test('are shown as JSON where the builder does not know them', () => {
    const known = { field: 'email', comparison: 'equals', value: 'a' };
    for (const rule of [
      ...[
        { ...known, note: 'x' },
        { ...known, field: 'shoe_size' },
        { ...known, comparison: 'like' },
        { ...known, value: {} },
      ],
      ...[
        { ...known, within_days: 3 },
        { ...known, where: { rules: [] } },
        { rules: [], operator: 'xor' },
        'email',
        null,
      ],
    ]) {
      expect(readRule(rule, 'contact')).toEqual({ as: 'unknown' });
    }
    expect(readRule(known, 'contact').as).toBe('rule');
    const group = { rules: [{ ...known, note: 'x' }, known] } as RuleGroup;
    expect(withRule(group, 1, { ...known, value: 'b' } as Rule).rules[0]).toBe(group.rules[0]);
    expect(without(group, 1).rules).toEqual([group.rules[0]]);
  });
});

/** Rules in code of the API's guide. */
function documentedRules(): unknown[] {
  const guide = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
  const flat = guide.replace(/\n\s*/g, ' ');
  const found: unknown[] = [];
  for (let at = flat.indexOf('{"field"'); at >= 0; at = flat.indexOf('{"field"', at + 1)) {
    for (let end = flat.indexOf('}', at); end >= 0; end = flat.indexOf('}', end + 1)) {
      try {
        found.push(JSON.parse(flat.slice(at, end + 1)));
        break;
      } catch {}
    }
  }
  return found;
}

describe('the API’s documentation', () => {
  test('shows no rule that the builder does not know', () => {
    const rules = documentedRules();
    expect(rules.length).toBeGreaterThanOrEqual(9);
    for (const rule of rules as Rule[]) {
      const subject = SUBJECTS.find((one) => errorsOf([rule], one).length === 0)!;
      expect([rule, readRule(rule, subject).as]).toEqual([rule, 'rule']);
      expect(JSON.stringify(unchanged(rule, subject))).toBe(JSON.stringify(rule));
      expect(sentenceOf({ rules: [rule] }, subject, words('de'))).not.toContain('…');
    }
  });

  test('names no field of a contact that the builder does not offer', () => {
    const listed = /one of the contact \(([^)]+)\)/.exec(createSegment.description)![1]!.split(', ');
    expect(listed.filter((name) => name !== 'properties.NAME').sort()).toEqual(Object.keys(CONTACT_FIELDS).sort());
    for (const name of offeredFields('contact')) expect(parseContactField(name)).not.toBeNull();
    for (const measure of measuresOf('purchases')) expect(kindOfMeasure(measure)).toBeDefined();
  });
});

describe('a sentence', () => {
  const rules: [Rule | RuleGroup, string, string][] = [
    [
      { field: 'purchases.count', comparison: 'greater_than_or_equal', value: 2 },
      'Has at least 2 orders.',
      'Hat mindestens 2 Bestellungen.',
    ],
    [
      { field: 'purchases.days_since_last', comparison: 'greater_than', value: 60 },
      'The last order was more than 60 days ago.',
      'Die letzte Bestellung liegt mehr als 60 Tage zurück.',
    ],
    [
      { field: 'messages.opened.count', comparison: 'equals', value: 0, within_days: 90 },
      'Has no opened messages in the last 90 days.',
      'Hat in den letzten 90 Tagen keine geöffneten Nachrichten.',
    ],
    [
      {
        field: 'events.order_placed.count',
        comparison: 'greater_than',
        value: 0,
        within_days: 90,
        where: { rules: [{ field: 'items.categories', comparison: 'equals', value: 'tea' }] },
      },
      'Has at least one event “order_placed” in the last 90 days, where items.categories is “tea”.',
      'Hat in den letzten 90 Tagen mindestens 1 Ereignis „order_placed“, wobei gilt: items.categories ist „tea“.',
    ],
    [
      { field: 'purchases.total', comparison: 'between', value: [100, 500] },
      'Has spent €100.00 to €500.00.',
      'Hat 100,00 € bis 500,00 € ausgegeben.',
    ],
    [
      { field: 'purchases.net', comparison: 'greater_than', value: 100, within_days: 30 },
      'Has spent more than €100.00 after refunds in the last 30 days.',
      'Hat in den letzten 30 Tagen nach Erstattungen mehr als 100,00 € ausgegeben.',
    ],
    [
      { field: 'purchases.collection_ids', comparison: 'equals', value: 4, within_days: 90 },
      'Has bought something from the collection “Tea” in the last 90 days.',
      'Hat in den letzten 90 Tagen etwas aus der Kollektion „Tea“ gekauft.',
    ],
    [
      { field: 'purchases.product_ids', comparison: 'not_in', value: [7, 8] },
      'Has not bought the product “Shirt” or “#8”.',
      'Hat das Produkt „Shirt“ oder „#8“ nicht gekauft.',
    ],
    [
      { field: 'purchases.skus', comparison: 'starts_with', value: 'TEA-', within_days: 30 },
      'SKU bought starts with “TEA-” in the last 30 days.',
      'Gekaufte Artikelnummer beginnt mit „TEA-“ in den letzten 30 Tagen.',
    ],
    [
      {
        operator: 'or',
        rules: [
          { field: 'list_ids', comparison: 'equals', value: 3 },
          { field: 'purchases.rfm.class', comparison: 'in', value: ['champions', 'loyal'] },
          {
            rules: [
              { field: 'tags', comparison: 'not_exists' },
              { field: 'email', comparison: 'ends_with', value: '.de' },
            ],
          },
        ],
      },
      'Is on the list Newsletter, is a buyer of the class Champions or Loyal, or (has no tag and e-mail address ends with “.de”).',
      'Steht auf der Liste Newsletter, gehört zur Käuferklasse Beste Kunden oder Treu oder (hat kein Tag und E-Mail-Adresse endet mit „.de“).',
    ],
  ];
  test.each(rules)('of %j is plain, in both languages', (rule, en, de) => {
    const group = isGroup(rule) ? rule : { rules: [rule] };
    const plain = (text: string) => text.replaceAll('\u00a0', ' ');
    expect(plain(sentenceOf(group, 'contact', words('en')))).toBe(en);
    expect(plain(sentenceOf(group, 'contact', words('de')))).toBe(de);
  });

  test('names custom fields as the shop does', () => {
    const rules: [Rule, string, string][] = [
      [
        { field: 'custom.of_choice', comparison: 'equals', value: 'tea' },
        'Of choice is “tea”.',
        'Of choice ist „tea“.',
      ],
      [
        { field: 'custom.of_product', comparison: 'in', value: [7, 8] },
        'Of product is “Shirt” or “#8”.',
        'Of product ist „Shirt“ oder „#8“.',
      ],
    ];
    for (const [rule, en, de] of rules) {
      expect(sentenceOf({ rules: [rule] }, PRODUCTS, words('en'))).toBe(en);
      expect(sentenceOf({ rules: [rule] }, PRODUCTS, words('de'))).toBe(de);
    }
  });

  test('there is for every field and comparison, in both languages', () => {
    for (const language of ['en', 'de'] as const) {
      const spoken = words(language);
      for (const subject of ['contact', PRODUCTS] as const) {
        for (const name of offeredFields(subject)) {
          const field = readField(name, subject)!;
          for (const comparison of COMPARISONS.filter((one) => isComparable(field, one))) {
            const rule = filled(withComparison(withField(newRule(), name, subject), comparison, subject), subject);
            const text = sentenceOf({ rules: [rule] }, subject, spoken);
            expect(text).not.toMatch(/…|undefined|\{|rule\./);
          }
        }
      }
    }
  });
});

test('a number is sent as one once it is whole', () => {
  expect(
    ['1', '1.', '1.0', '1.05', '1,5', 'x', '', '12345678901234567'].map((text) => typedValue('number', text)),
  ).toEqual([...[1, '1.', '1.0', 1.05, 1.5, 'x', '', '12345678901234567']]);
  expect(typedValue('text', '12')).toBe('12');
});

test('missing parts are reported at their place, as the API names it', () => {
  const group: RuleGroup = {
    rules: [newRule(), { rules: [{ field: 'purchases.count', comparison: 'equals', value: 'many' }] }],
  };
  expect([...problemsOf(group, 'contact').keys()]).toEqual(['rules.0.field', 'rules.1.rules.0.value']);
  expect(isComplete(group, 'contact')).toBe(false);
  expect([...placesOf([{ field: 'trigger_conditions.rules.1.field', message: 'x' }]).keys()]).toEqual([
    'rules.1.field',
  ]);
});
