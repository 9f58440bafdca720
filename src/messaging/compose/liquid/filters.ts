import { assert, type FilterImplOptions, type Liquid, toValue } from 'liquidjs';

type Handler = Extract<FilterImplOptions, (...args: never[]) => unknown>;

/** A date format repeats its expensive parts (`%B` calls Intl) as often as its text contains them. */
const MAX_DATE_FORMAT = 100;

/** Filters with a cost linear in their input and that create no arrays: safe to run alongside other work. */
export const LINEAR_FILTERS: ReadonlySet<string> = new Set([
  ...['default', 'raw', 'escape', 'escape_once', 'newline_to_br', 'strip_html', 'strip_newlines', 'date'],
  ...['upcase', 'downcase', 'capitalize', 'strip', 'lstrip', 'rstrip', 'truncate', 'truncatewords', 'slice'],
  ...['append', 'prepend', 'remove', 'remove_first', 'remove_last', 'replace', 'replace_first', 'replace_last'],
  ...['url_encode', 'url_decode', 'join', 'first', 'last', 'size'],
  ...['abs', 'at_least', 'at_most', 'ceil', 'floor', 'round', 'plus', 'minus', 'times', 'divided_by', 'modulo'],
]);

/** Every filter that a template may use. Filters that read files, evaluate text, shuffle or nest arrays are left out. */
const ALLOWED_FILTERS: ReadonlySet<string> = new Set([
  ...LINEAR_FILTERS,
  ...['split', 'reverse', 'sort', 'sort_natural', 'map', 'where', 'reject', 'find', 'uniq', 'compact', 'concat', 'sum'],
  'json',
]);

/** Converts a value to output text: arrays are joined, null and undefined become empty. */
export function asText(value: unknown): string {
  const plain: unknown = toValue(value);
  if (typeof plain === 'string') return plain;
  if (plain === null || plain === undefined) return '';
  return Array.isArray(plain) ? plain.map(asText).join('') : String(plain);
}

function handlerOf(liquid: Liquid, name: string): Handler {
  const filter = liquid.filters[name];
  if (typeof filter !== 'function') throw new Error(`liquidjs has no filter ${name}`);
  return filter;
}

/** LiquidJS charges the memory limit for these filters only after their work, or never, so this charges their input first. */
function chargeFirst(original: Handler): Handler {
  return function (value, ...args) {
    const text = asText(value);
    this.context.memoryLimit.use(text.length);
    return original.call(this, text, ...args);
  };
}

/**
 * Keeps only the allowed filters. For HTML, a value whose last filter is `escape`, `escape_once` or `newline_to_br` is escaped exactly
 * once, and only `raw` switches escaping off.
 */
export function installFilters(liquid: Liquid, html: boolean): void {
  for (const name of Object.keys(liquid.filters)) if (!ALLOWED_FILTERS.has(name)) liquid.unregisterFilter(name);

  for (const name of ['url_encode', 'url_decode', 'replace']) {
    liquid.registerFilter(name, chargeFirst(handlerOf(liquid, name)));
  }
  const date = handlerOf(liquid, 'date');
  const boundedDate: Handler = function (value, format, ...rest) {
    assert(asText(format).length <= MAX_DATE_FORMAT, `a date format has at most ${MAX_DATE_FORMAT} characters`);
    return date.call(this, value, format, ...rest);
  };
  liquid.registerFilter('date', boundedDate);
  liquid.registerFilter('raw', { raw: true, handler: asText });
  if (!html) return;

  const escapeOnce = handlerOf(liquid, 'escape_once');
  const breaks = handlerOf(liquid, 'newline_to_br');
  liquid.registerFilter('escape', { raw: true, handler: handlerOf(liquid, 'escape') });
  liquid.registerFilter('escape_once', { raw: true, handler: escapeOnce });
  liquid.registerFilter('newline_to_br', {
    raw: true,
    handler(value: unknown) {
      return breaks.call(this, escapeOnce.call(this, value));
    },
  });
}
