import { ForTag, Tag, type Template, TypeGuards, toValueSync, Value } from 'liquidjs';
import { LINEAR_FILTERS, OWN_ESCAPE } from './engine.ts';
import { VETTED_MARKUP, VETTED_TAGS, VETTED_TEMPLATE } from './limits.ts';

export function countMarkup(text: string): { tags: number; characters: number } {
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

/** Whether parsing the text is cheap. Linear, about 0.1 ms for 100 KiB. */
export function isQuickToParse(text: string): boolean {
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
 * Whether the cost is bounded by the template's length times the longest array of the context: no ranges, loops only over given arrays and
 * not nested, linear filters that make no arrays, no `cycle` (it parses while rendering) and no `capture`. The time limit, checked between
 * nodes, is then exceeded by one cheap node at most.
 */
export function isBounded(templates: Template[], insideLoop: boolean): boolean {
  return templates.every((template) => {
    if (template instanceof Tag && (template.name === 'cycle' || template.name === 'capture')) return false;
    const loop = template instanceof ForTag;
    if (loop && (insideLoop || !TypeGuards.isPropertyAccessToken(template.collection))) return false;
    for (const argument of template.arguments?.() ?? []) if (!isBoundedValue(argument)) return false;
    const children: Template[] = template.children ? toValueSync(template.children(false, true)) : [];
    return isBounded(children, insideLoop || loop);
  });
}
