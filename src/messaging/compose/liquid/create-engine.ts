import { type Context, type Emitter, Liquid, type Template } from 'liquidjs';
import { createTextCache, type TextCache } from '../../../lib/text-cache.ts';
import { mark } from '../bulk/placeholders.ts';
import type { RenderFailure } from './failures.ts';
import { asText, installFilters } from './filters.ts';
import { MAX_OUTPUT, MAX_TEMPLATE } from './limits.ts';
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
