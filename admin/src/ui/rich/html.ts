import { DOMParser, DOMSerializer, type Node as RichNode } from '@tiptap/pm/model';
import { hasTags } from '../../../../src/lib/html.ts';
import { parsedDocument } from '../markup.ts';
import { documentOfText, SCHEMA, textOf } from './formats.ts';

/** A document of its own, to which elements belong that are never shown. */
const aside = document.implementation.createHTMLDocument();
const SAME: Record<string, string> = { b: 'strong', i: 'em' };
const MARKS = new Set(['strong', 'em', 'u', 'a']);

/** Without the tag, what belongs into a head would be moved there. */
const parsed = (html: string): HTMLElement => parsedDocument(`<body>${html}`).body;
const read = (body: HTMLElement): RichNode => DOMParser.fromSchema(SCHEMA).parse(body);

/** A text of the API, plain or HTML, as a document of the editor. */
export function documentOf(text: string): RichNode {
  return hasTags(text) ? read(parsed(text)) : documentOfText(text);
}

/** A document as a text of the API. What began as HTML stays HTML. */
export function storedOf(doc: RichNode, asHtml: boolean): string {
  const text = textOf(doc);
  if (text?.trim() === '') return '';
  if (text !== null && !asHtml) return text;
  return [...written(doc).children].map((block) => block.outerHTML).join('\n');
}

/** What the editor would lose of an HTML text: tags and attributes by name, `''` for the order of them. Nothing for text without tags. */
export function lossesOf(text: string): string[] {
  if (!hasTags(text)) return [];
  const body = parsed(text);
  const before = contentOf(body);
  const after = contentOf(written(read(body)));
  if (before.parts.join('\n') === after.parts.join('\n')) return [];
  const lost = [...before.names].filter((name) => !after.names.has(name));
  return lost.length > 0 ? lost : [''];
}

/** Writes a document as elements; an item of a list that has one paragraph needs no tag for it. */
function written(doc: RichNode): HTMLElement {
  const holder = aside.createElement('div');
  DOMSerializer.fromSchema(SCHEMA).serializeFragment(doc.content, { document: aside }, holder);
  for (const item of holder.querySelectorAll('li')) {
    const [first, ...others] = item.children;
    if (first?.localName !== 'p' || !others.every(({ localName }) => localName === 'ul' || localName === 'ol'))
      continue;
    first.replaceWith(...first.childNodes);
  }
  return holder;
}

/** The blocks of a page in order, with each text and what marks it. Paragraphs and spaces are left out, which the editor may add. */
function contentOf(body: HTMLElement): { parts: string[]; names: Set<string> } {
  const parts: string[] = [];
  const names = new Set<string>();
  let last = '';
  const walk = (parent: Node, marks: readonly string[]): void => {
    for (const node of parent.childNodes) {
      if (node instanceof Text) {
        const text = node.data.replace(/[ \t\r\n\f]+/g, '');
        const key = marks.toSorted().join(' ');
        if (text === '') continue;
        if (last === key && parts.length > 0) parts[parts.length - 1] += text;
        else parts.push(`${key}|${text}`);
        last = key;
      } else if (node instanceof Element) {
        const name = SAME[node.localName] ?? node.localName;
        names.add(name);
        for (const attribute of node.attributes) names.add(attribute.name);
        const tag = [name, ...[...node.attributes].map((one) => `${one.name}=${one.value}`).toSorted()].join(' ');
        if (MARKS.has(name)) walk(node, [...new Set([...marks, tag])]);
        else if (tag === 'p') walk(node, marks);
        else {
          parts.push(`<${tag}>`);
          last = '<';
          walk(node, marks);
          parts.push(`</${name}>`);
          last = '<';
        }
      } else {
        names.add('<!-- -->');
        parts.push('<!-- -->');
        last = '<';
      }
    }
  };
  walk(body, []);
  return { parts, names };
}
