import {
  assert,
  type Context,
  type Emitter,
  type FilterImplOptions,
  Liquid,
  LiquidError,
  type Template,
  toValue,
} from 'liquidjs';
import { createTextCache, type TextCache } from '../../../lib/text-cache.ts';
import { mark } from '../thread/placeholders.ts';
import { MAX_OUTPUT, MAX_TAGS, MAX_TEMPLATE } from './limits.ts';
import { formatMoney } from './money.ts';
import { escapeValue, type QuickTemplate } from './quick.ts';

const ALLOWED_TAGS = new Set([
  ...['if', 'unless', 'case', 'for', 'break', 'continue', 'assign', 'capture', 'cycle', 'echo', 'comment', 'raw', '#'],
]);
/** The name that LiquidJS assigns to the escaping filter that it adds to outputs itself. */
export const OWN_ESCAPE = Object.prototype.toString.call(() => '');

const PARSED_BYTES = 24 * 1024 * 1024;

export type Parsed = { templates: Template[]; bounded: boolean; quick: QuickTemplate | null } | RenderFailure;
export interface Engine {
  liquid: Liquid;
  /** Applied to each value before it is written. */
  finish: (text: string) => string;
  parsed: TextCache<Parsed>;
}

/** LiquidJS limits what filters create, but not what is written: this charges both the memory limit and the output limit. */
class BoundedEmitter implements Emitter {
  buffer = '';
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  write(value: unknown): void {
    const text = asText(value);
    this.#context.memoryLimit.use(text.length);
    this.buffer += text;
    if (this.buffer.length > MAX_OUTPUT) throw new Error('output limit exceeded');
  }
}

export function createEngine(kind: 'html' | 'marked' | 'text'): Engine {
  const html = kind !== 'text';
  const liquid: Liquid = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    dynamicPartials: false,
    // An empty in-memory set of templates replaces the file system.
    templates: {},
    parseLimit: MAX_TEMPLATE,
    timezoneOffset: 0,
    locale: 'en-US',
    outputEscape: { html: 'escape' as const, marked: markEscaped, text: undefined }[kind],
  });
  function markEscaped(this: unknown, value: unknown): string {
    const filter = liquid.filters.escape!;
    const escapeValue = typeof filter === 'function' ? filter : filter.handler;
    return mark(String(Reflect.apply(escapeValue, this, [value])));
  }
  for (const name of Object.keys(liquid.tags)) if (!ALLOWED_TAGS.has(name)) delete liquid.tags[name];
  installFilters(liquid, html);
  const { renderer } = liquid;
  const render = renderer.renderTemplates.bind(renderer);
  // LiquidJS passes no emitter for a whole template or for the content of `capture`.
  renderer.renderTemplates = (templates, context, emitter = new BoundedEmitter(context)) =>
    render(templates, context, emitter);
  const finish = { html: escapeValue, marked: (text: string) => mark(escapeValue(text)), text: String }[kind];
  return { liquid, finish, parsed: createTextCache(500, PARSED_BYTES) };
}

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
  'money',
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
function installFilters(liquid: Liquid, html: boolean): void {
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
  liquid.registerFilter('money', chargeFirst(formatMoney));
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

export interface RenderFailure {
  ok: false;
  /** A sentence for the author of the template. */
  error: string;
  /** 1-based; null if it is not known where the template fails. */
  line: number | null;
  column: number | null;
  /**
   * Which limit was exceeded, if any. `time`: the rendering used more time than allowed; `size`: memory or length; `interrupted`: the thread
   * ended, possibly because of another template.
   */
  exceeded: 'time' | 'size' | 'interrupted' | null;
}

const LIMIT_MESSAGES: readonly [part: string, sentence: string, exceeded: 'time' | 'size'][] = [
  ['template render limit', 'The template takes too long to render', 'time'],
  ['memory alloc limit', 'The output of the template or a list in it is too large', 'size'],
  ['output limit', `The template renders to more than ${MAX_OUTPUT / 1024} KiB`, 'size'],
  ['parse length limit', `The template is longer than ${MAX_TEMPLATE / 1024} KiB`, 'size'],
  ['tag count limit', `The template has more than ${MAX_TAGS} tags`, 'size'],
  ['Invalid string length', 'The output of the template or a list in it is too large', 'size'],
  ['Maximum call stack', 'The template is nested too deeply', 'size'],
];

/** Extracts the message and the position from an error of LiquidJS; any other error is described in general terms. */
export function toFailure(error: unknown): RenderFailure {
  const [line, column] = LiquidError.is(error) ? error.token.getPosition() : [null, null];
  const cause = LiquidError.is(error) ? (error.originalError ?? error) : error;
  const message = cause instanceof Error ? cause.message.replace(/, line:\d+, col:\d+$/, '') : 'unknown error';
  const known = LIMIT_MESSAGES.find(([part]) => message.includes(part));
  return { ok: false, error: known ? known[1] : message.slice(0, 300), line, column, exceeded: known?.[2] ?? null };
}
