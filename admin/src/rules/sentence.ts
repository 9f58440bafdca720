import type { Rule, RuleGroup } from '../../../src/rules/language.ts';
import { toNumber } from '../../../src/rules/values.ts';
import { shapeOf, valueTypeOf } from './comparisons.ts';
import { type CustomField, type Field, isProducts, type Subject } from './fields.ts';
import { isShownGroup, readRule, textsOf } from './read.ts';

/** What sentences are composed of: the texts of a language, and its formats of values. */
export interface Words {
  /** A text of the catalogue, under `rule.`. */
  say(key: string, values?: Record<string, unknown>): string;
  /** The text under `prefix.value`, or the value. */
  sayOf(prefix: string, value: string): string;
  number(value: number): string;
  money(value: number): string;
  day(text: string): string;
  /** The name of a list. */
  list(id: string): string;
  /** The names of a collection and of a product. */
  collection(id: string): string;
  product(id: string): string;
  /** The custom fields of customers. */
  customFields: readonly CustomField[];
  /** `a, b, and c`, or with `or`. */
  join(parts: string[], operator: 'and' | 'or'): string;
}

/** Returns the rules as one sentence. */
export function sentenceOf(group: unknown, subject: Subject, words: Words): string {
  const text = isShownGroup(group) ? groupOf(group, subject, words) : words.say('unknown');
  return `${text.charAt(0).toLocaleUpperCase()}${text.slice(1)}.`;
}

function groupOf(group: RuleGroup, subject: Subject, words: Words): string {
  if (group.rules.length === 0) return words.say(noneOf(subject));
  const parts = group.rules.map((rule) => partOf(rule, subject, words, group.rules.length > 1));
  return words.join(parts, group.operator ?? 'and');
}

function noneOf(subject: Subject): string {
  if (isProducts(subject)) return 'every_product';
  return subject === 'contact' ? 'everyone' : 'always';
}

function partOf(rule: Rule | RuleGroup, subject: Subject, words: Words, among: boolean): string {
  const shown = readRule(rule, subject, words.customFields);
  if (shown.as === 'unknown') return words.say('unknown');
  if (shown.as === 'new') return words.say('unfinished');
  if (shown.as === 'rule') return ruleOf(shown.rule, shown.field, words);
  const text = groupOf(shown.group, subject, words);
  return among && shown.group.rules.length > 1 ? `(${text})` : text;
}

function ruleOf(rule: Rule, field: Field, words: Words): string {
  const values = shapeOf(rule.comparison) === 'none' ? [] : textsOf(rule.value);
  const missing = shapeOf(rule.comparison) !== 'none' && (values.length === 0 || values.includes(''));
  const shown = missing ? ['…'] : values.map((value) => wordOf(value, rule, field, words));
  const text = field.history === null ? ownRule(rule, field, shown, words) : historyRule(rule, field, shown, words);
  if (rule.where === undefined || rule.where.rules.length === 0) return text;
  return words.say('where', { text, where: groupOf(rule.where, 'data', words) });
}

function wordOf(value: string, { comparison }: Rule, field: Field, words: Words): string {
  const number = toNumber(value);
  switch (valueTypeOf(field, comparison)) {
    case 'money':
      return number === null ? value : words.money(number);
    case 'number':
    case 'days':
      return number === null ? value : words.number(number);
    case 'day':
      return /^\d{4}-\d\d-\d\d$/.test(value) ? words.day(value) : value;
    case 'list':
      return words.list(value);
    case 'collection':
      return words.say('quoted', { value: words.collection(value) });
    case 'product':
      return words.say('quoted', { value: words.product(value) });
    case 'status':
      return words.sayOf('contact.status', value);
    case 'class':
      return words.sayOf('rule.class', value);
    case 'flag':
      return words.sayOf('rule.flag', value);
    default:
      return words.say('quoted', { value });
  }
}

/** `is “x”`, `is one of “x” or “y”`: inserts the values. */
function withValues(prefix: string, comparison: string, shown: string[], words: Words, more: object = {}): string {
  const [value = '…', high = '…'] = shown;
  const choices = words.join(shown, 'or');
  return words.say(`${prefix}.${comparison}`, { value, high, choices, ...more });
}

function ownRule({ comparison }: Rule, field: Field, shown: string[], words: Words): string {
  const { source, path, custom } = field;
  const ofMembership = source === 'tags' || source === 'list_ids';
  if (ofMembership && /^(not_)?(equals|in|exists)$/.test(comparison))
    return withValues(source, comparison, shown, words);
  const isNamed = source === 'data' || source === 'properties' || source === 'option';
  const key = source.startsWith('custom.') ? source.slice('custom.'.length) : null;
  const noun = isNamed ? path || '…' : (custom?.name ?? key ?? words.say(`noun.${source}`));
  return withValues('is', comparison, shown, words, { noun });
}

function historyRule(rule: Rule, field: Field, shown: string[], words: Words): string {
  const { comparison } = rule;
  const days = rule.within_days;
  const window = days === undefined ? '' : words.say('window', { days: words.number(toNumber(days) ?? 0) });
  const phrase = () => withValues('than', comparison, shown, words);
  const when = () => withValues('when', comparison, shown, words);
  const measure = field.measure ?? 'count';
  switch (measure) {
    case 'count':
      return countRule(rule, field, shown, window, words);
    case 'total':
      return words.say('spent', { phrase: phrase(), window });
    case 'net':
      return words.say('spent_net', { phrase: phrase(), window });
    case 'first_at':
    case 'last_at':
    case 'days_since_first':
    case 'days_since_last': {
      if (shown.length === 0)
        return withValues('has', comparison, shown, words, {
          noun: nounOf(comparison === 'exists' ? 'many' : 'none_of', field, words),
        });
      const noun = nounOf(measure.includes('first') ? 'first' : 'last', field, words);
      return measure.endsWith('_at')
        ? words.say('was', { noun, when: when() })
        : words.say('was_ago', { noun, phrase: phrase() });
    }
    case 'product_ids':
    case 'collection_ids':
    case 'categories':
    case 'skus':
      if (!/^(not_)?(equals|in)$/.test(comparison)) {
        return `${withValues('is', comparison, shown, words, { noun: words.say(`measure.${measure}`) })}${window}`;
      }
      return withValues('has_bought', comparison, shown, words, { noun: words.say(`bought.${measure}`), window });
    case 'rfm.class':
      return withValues('class_is', comparison, shown, words);
    default:
      if (shown.length === 0) return withValues('is', comparison, shown, words, { noun: words.say(`noun.${measure}`) });
      return words.say(measure, measure === 'next_expected_at' ? { when: when() } : { phrase: phrase() });
  }
}

function countRule({ comparison, value }: Rule, field: Field, shown: string[], window: string, words: Words): string {
  const number = toNumber(value);
  const none = (comparison === 'equals' && number === 0) || (comparison === 'less_than' && number === 1);
  const some =
    (comparison === 'greater_than' && number === 0) || (comparison === 'greater_than_or_equal' && number === 1);
  const noun = nounOf('many', field, words);
  if (none) return words.say('count.none', { noun: nounOf('none_of', field, words), window });
  if (some) return words.say('count.some', { noun: nounOf('one', field, words), window });
  const one = !Array.isArray(value) && number === 1;
  return words.say('count', {
    phrase: withValues('count', comparison, shown, words),
    noun: one ? nounOf('one', field, words) : noun,
    window,
  });
}

/** `orders`, `the last order`, `events “product_viewed”`. */
function nounOf(form: 'one' | 'many' | 'none_of' | 'first' | 'last', { source }: Field, words: Words): string {
  const type = source.startsWith('events.') ? source.slice('events.'.length) : null;
  return words.say(`${form}.${type === null ? source : 'events'}`, { type });
}

/** The products that rules name. */
export function productsIn(group: unknown, subject: Subject, ofCustomers: readonly CustomField[]): number[] {
  if (!isShownGroup(group)) return [];
  return group.rules.flatMap((rule) => {
    const shown = readRule(rule, subject, ofCustomers);
    if (shown.as === 'group') return productsIn(shown.group, subject, ofCustomers);
    if (shown.as !== 'rule' || shown.field.kind !== 'product') return [];
    return textsOf(shown.rule.value)
      .map(Number)
      .filter((id) => Number.isSafeInteger(id) && id > 0);
  });
}
