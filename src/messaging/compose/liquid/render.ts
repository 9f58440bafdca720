import { Context } from 'liquidjs';
import { processorMs, timeLeft } from '../../../lib/threads/processor-time.ts';
import { countMarkup, isBounded, isQuickToParse } from './cost.ts';
import { createEngine, type Engine, OWN_ESCAPE, type Parsed, type RenderFailure, toFailure } from './engine.ts';
import { MAX_OUTPUT, MAX_TAGS, MAX_TEMPLATE, type RenderLimits, VETTED_LIMITS } from './limits.ts';
import { quickOf, renderQuick } from './quick.ts';

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
/** Plain JSON: contact, event, order, company, unsubscribe_url … Never objects with methods or getters. */
export type RenderContext = { [key: string]: JsonValue };

export type RenderResult = { ok: true; text: string } | RenderFailure;

/** In characters: their UTF-8 encoding cannot exceed MAX_OUTPUT. */
const MOST_QUICK = MAX_OUTPUT / 4;

/** Memory that a parsed template takes per character inside its tags; the total is limited per engine (PARSED_BYTES). */
const BYTES_PER_MARKUP = 230;

const engines = { html: createEngine('html'), marked: createEngine('marked'), text: createEngine('text') };

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
 * Whether the template may be rendered together with many others: short, quick to parse, of bounded cost. Also true for a template that
 * does not parse, because it fails immediately.
 */
export function isVetted(text: string, html: boolean): boolean {
  const engine = html ? engines.html : engines.text;
  if (!isQuickToParse(text)) return false;
  const parsed = parse(text, engine);
  return 'ok' in parsed ? parsed.exceeded === null : parsed.bounded;
}

/** Returns why a template can never be rendered, as far as that shows without data; null if it may be rendered. */
export function syntaxFailure(text: string): RenderFailure | null {
  if (!isQuickToParse(text)) return null;
  const parsed = parse(text, engines.text);
  return 'ok' in parsed ? parsed : null;
}

/** LiquidJS takes up to 0.2 ms per tag to find its variables. */
const MOST_ANALYSED = 500;
const LONGEST_ANALYSED = 16 * 1024;

/**
 * Returns the paths of variables that a template reads, such as `contact.first_name`, except those that it assigns itself; none if it
 * cannot be parsed or has very many tags.
 */
export function pathsIn(text: string): string[][] {
  const { tags, characters } = countMarkup(text);
  if (tags === 0 || tags > MOST_ANALYSED || characters > LONGEST_ANALYSED) return [];
  const parsed = parse(text, engines.text);
  if ('ok' in parsed) return [];
  return engines.text.liquid.globalVariableSegmentsSync(parsed.templates, { partials: false }).map((segments) => {
    // A lookup by a number or by another variable may be anything.
    const end = segments.findIndex((segment) => typeof segment !== 'string');
    return (end < 0 ? segments : segments.slice(0, end)).map(String);
  });
}

/**
 * Renders on this thread. For `html` every value is escaped unless its last filter is `raw`; subjects, text parts and SMS are not escaped.
 * `marked` encloses escaped values in placeholders (see thread/compiled.ts). Times are UTC unless the `date` filter names a zone. Never
 * throws: a failure is a result.
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
    const { liquid } = engine;
    const scope = new Context(context, liquid.options, { sync: true, memoryLimit: limits.memory }, { liquid });
    scope.renderLimit.check = limitTime(limits.milliseconds);
    const output: string = liquid.renderSync(parsed.templates, scope);
    if (Buffer.byteLength(output) > MAX_OUTPUT) throw new Error('output limit exceeded');
    return { ok: true, text: output };
  } catch (error) {
    return toFailure(error);
  }
}

/** Least time between two measurements of a rendering that waits for a processor. */
const LEAST_MS = 1;

/**
 * Returns a function that throws when a rendering has used up its processor time. LiquidJS calls it first when the rendering begins, then
 * before each part of a template, with milliseconds of a monotonic clock.
 */
function limitTime(milliseconds: number): (now: number) => void {
  const usedBefore = processorMs();
  let began: number | null = null;
  let until = 0;
  return (now) => {
    if (began === null) {
      began = now;
      until = now + milliseconds;
    }
    if (now <= until) return;
    const left = timeLeft(milliseconds, { used: processorMs() - usedBefore, passed: now - began });
    if (left <= 0) throw new Error('template render limit exceeded');
    until = now + Math.max(LEAST_MS, left);
  };
}
