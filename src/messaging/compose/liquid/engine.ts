import {
  type Context,
  type Emitter,
  ForTag,
  Liquid,
  LiquidError,
  Tag,
  type Template,
  TypeGuards,
  toValueSync,
  Value,
} from 'liquidjs';
import { createTextCache, type TextCache } from '../../../lib/text-cache.ts';
import { mark } from '../bulk/placeholders.ts';
import { asText, installFilters, LINEAR_FILTERS } from './filters.ts';
import { escapeValue, type QuickTemplate, quickOf, renderQuick } from './quick.ts';

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
/** Plain JSON: contact, event, order, company, unsubscribe_url … Never objects with methods or getters. */
export type RenderContext = { [key: string]: JsonValue };

export interface RenderFailure {
  ok: false;
  /** A sentence for the author of the template. */
  error: string;
  /** From 1, where the template is known to be at fault. */
  line: number | null;
  column: number | null;
  /**
   * Which limit was hit, if one was: `time` cost what the limit allows, `size` is memory or length; `interrupted`: the
   * thread ended, which may have been another's fault.
   */
  exceeded: 'time' | 'size' | 'interrupted' | null;
}
export type RenderResult = { ok: true; text: string } | RenderFailure;

/** Milliseconds of one rendering, and characters plus array elements that it may make in all. */
export interface RenderLimits {
  milliseconds: number;
  memory: number;
}

/** Characters of a template, and bytes of UTF-8 that it may render to. */
export const MAX_TEMPLATE = 512 * 1024;
const MAX_OUTPUT = 512 * 1024;
/** Characters; whatever they are, their UTF-8 is not longer than MAX_OUTPUT. */
const MOST_QUICK = MAX_OUTPUT / 4;
/** LiquidJS takes tokens off the front of an array, which V8 does in quadratic time: 20,000 tags 64 ms, 100,000 2.5 s. */
const MAX_TAGS = 20_000;

/**
 * Many mails are made together, from a form, only of a template below these marks: 256 KiB, 2,000 tags and 64 KiB of
 * characters inside tags, which parse in a few milliseconds.
 */
const VETTED_TEMPLATE = 256 * 1024;
const VETTED_TAGS = 2_000;
const VETTED_MARKUP = 64 * 1024;
const VETTED_LIMITS: RenderLimits = { milliseconds: 20, memory: 1024 * 1024 };
/** Of the body of a message, and of what is one line of it. */
export const BODY_LIMITS: RenderLimits = { milliseconds: 300, memory: 2 * 1024 * 1024 };
export const LINE_LIMITS: RenderLimits = { milliseconds: 100, memory: 256 * 1024 };

const ALLOWED_TAGS = new Set([
  ...['if', 'unless', 'case', 'for', 'break', 'continue', 'assign', 'capture', 'cycle', 'echo', 'comment', 'raw', '#'],
]);
/** The name that LiquidJS gives to the escaping that it adds to an output by itself. */
const OWN_ESCAPE = Object.prototype.toString.call(() => '');

/** A parsed template takes up to 230 bytes for each character inside its tags; each engine may keep so much in all. */
const BYTES_PER_MARKUP = 230;
const PARSED_BYTES = 24 * 1024 * 1024;

type Parsed = { templates: Template[]; bounded: boolean; quick: QuickTemplate | null } | RenderFailure;
interface Engine {
  liquid: Liquid;
  /** What is done to a value before it is written. */
  finish: (text: string) => string;
  parsed: TextCache<Parsed>;
}

/** LiquidJS bounds what filters make, but not what is written: this charges both the memory and the output limit. */
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

function createEngine(kind: 'html' | 'marked' | 'text'): Engine {
  const html = kind !== 'text';
  const liquid: Liquid = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    dynamicPartials: false,
    // An in-memory set of no templates takes the place of the file system.
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
  // Called with no emitter for a whole template and for the inside of `capture`.
  renderer.renderTemplates = (templates, context, emitter = new BoundedEmitter(context)) =>
    render(templates, context, emitter);
  const finish = { html: escapeValue, marked: (text: string) => mark(escapeValue(text)), text: String }[kind];
  return { liquid, finish, parsed: createTextCache(500, PARSED_BYTES) };
}

const engines = { html: createEngine('html'), marked: createEngine('marked'), text: createEngine('text') };

function countMarkup(text: string): { tags: number; characters: number } {
  let tags = 0;
  let characters = 0;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    const closer = text[at + 1] === '{' ? '}}' : text[at + 1] === '%' ? '%}' : null;
    if (closer === null) {
      at += 1;
      continue;
    }
    const end = text.indexOf(closer, at + 2);
    tags += 1;
    characters += (end < 0 ? text.length : end) - at;
    at = end < 0 ? text.length : end + 2;
  }
  return { tags, characters };
}

/** Whether parsing the text takes little. Linear, about 0.1 ms for 100 KiB. */
function isQuickToParse(text: string): boolean {
  if (text.length > VETTED_TEMPLATE) return false;
  const markup = countMarkup(text);
  return markup.tags <= VETTED_TAGS && markup.characters <= VETTED_MARKUP;
}

function isBoundedValue(argument: unknown): boolean {
  if (TypeGuards.isRangeToken(argument)) return false;
  if (!(argument instanceof Value)) return true;
  return (
    argument.initial.postfix.every((token) => !TypeGuards.isRangeToken(token)) &&
    argument.filters.every(
      ({ name, args }) =>
        name === OWN_ESCAPE ||
        (LINEAR_FILTERS.has(name) && args.flat().every((argument) => !TypeGuards.isRangeToken(argument))),
    )
  );
}

/**
 * Whether the cost is bounded by the template's length times the longest array of the context: no ranges, loops only
 * over given arrays and not inside each other, filters that are linear and make no arrays, no `cycle` (it parses while
 * it renders) and no `capture`. The time limit between any two nodes then holds to within one cheap node.
 */
function isBounded(templates: Template[], insideLoop: boolean): boolean {
  return templates.every((template) => {
    if (template instanceof Tag && (template.name === 'cycle' || template.name === 'capture')) return false;
    const loop = template instanceof ForTag;
    if (loop && (insideLoop || !TypeGuards.isPropertyAccessToken(template.collection))) return false;
    for (const argument of template.arguments?.() ?? []) if (!isBoundedValue(argument)) return false;
    const children: Template[] = template.children ? toValueSync(template.children(false, true)) : [];
    return isBounded(children, insideLoop || loop);
  });
}

const LIMIT_MESSAGES: readonly [part: string, sentence: string, exceeded: 'time' | 'size'][] = [
  ['template render limit', 'The template takes too long to render', 'time'],
  ['memory alloc limit', 'The template makes too much text or too long lists', 'size'],
  ['output limit', `The template renders to more than ${MAX_OUTPUT / 1024} KiB`, 'size'],
  ['parse length limit', `The template is longer than ${MAX_TEMPLATE / 1024} KiB`, 'size'],
  ['tag count limit', `The template has more than ${MAX_TAGS} tags`, 'size'],
  ['Invalid string length', 'The template makes too much text or too long lists', 'size'],
  ['Maximum call stack', 'The template is nested too deeply', 'size'],
];

/** The sentence and the position inside an error of LiquidJS; anything else is told in general terms. */
function toFailure(error: unknown): RenderFailure {
  const [line, column] = LiquidError.is(error) ? error.token.getPosition() : [null, null];
  const cause = LiquidError.is(error) ? (error.originalError ?? error) : error;
  const message = cause instanceof Error ? cause.message.replace(/, line:\d+, col:\d+$/, '') : 'unknown error';
  const known = LIMIT_MESSAGES.find(([part]) => message.includes(part));
  return { ok: false, error: known ? known[1] : message.slice(0, 300), line, column, exceeded: known?.[2] ?? null };
}

function parse(text: string, engine: Engine): Parsed {
  const known = engine.parsed.get(text);
  if (known) return known;
  const parsed = parseAnew(text, engine);
  engine.parsed.set(text, parsed, { size: text.length + BYTES_PER_MARKUP * countMarkup(text).characters });
  return parsed;
}

function parseAnew(text: string, engine: Engine): Parsed {
  try {
    if (text.length <= MAX_TEMPLATE && countMarkup(text).tags > MAX_TAGS) throw new Error('tag count limit exceeded');
    const templates = engine.liquid.parse(text);
    return { templates, bounded: isBounded(templates, false), quick: quickOf(templates, OWN_ESCAPE) };
  } catch (error) {
    return toFailure(error);
  }
}

/**
 * Whether the template may be rendered together with many others: short, quickly parsed, of bounded cost. A template that
 * does not parse counts as such: its failure is known at once.
 */
export function isVetted(text: string, html: boolean): boolean {
  const engine = html ? engines.html : engines.text;
  if (!isQuickToParse(text)) return false;
  const parsed = parse(text, engine);
  return 'ok' in parsed ? parsed.exceeded === null : parsed.bounded;
}

/** Why a template can be rendered for nobody, as far as that shows at once; null where it may be rendered. */
export function syntaxFailure(text: string): RenderFailure | null {
  if (!isQuickToParse(text)) return null;
  const parsed = parse(text, engines.text);
  return 'ok' in parsed ? parsed : null;
}

/**
 * Renders on this thread. For `html` every value is escaped unless its last filter is `raw`; subjects, text parts and
 * SMS go without. `marked` puts marks around what is escaped (see campaign-form.ts). Times are UTC unless the `date` filter names a zone. Never throws: what fails is a value.
 */
export function renderTemplate(
  text: string,
  context: RenderContext,
  { html, marked = false, limits = VETTED_LIMITS }: { html: boolean; marked?: boolean; limits?: RenderLimits },
): RenderResult {
  const engine = engines[marked ? 'marked' : html ? 'html' : 'text'];
  const parsed = parse(text, engine);
  if ('ok' in parsed) return parsed;
  try {
    const quick =
      parsed.quick === null ? null : renderQuick(parsed.quick, context, { finish: engine.finish, most: MOST_QUICK });
    if (quick !== null) return { ok: true, text: quick };
    const output: string = engine.liquid.renderSync(parsed.templates, context, {
      renderLimit: limits.milliseconds,
      memoryLimit: limits.memory,
    });
    if (Buffer.byteLength(output) > MAX_OUTPUT) throw new Error('output limit exceeded');
    return { ok: true, text: output };
  } catch (error) {
    return toFailure(error);
  }
}
