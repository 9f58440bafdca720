import { getSchema } from '@tiptap/core';
import type { Node } from '@tiptap/pm/model';
import { StarterKit } from '@tiptap/starter-kit';
import { hasTags } from '../../../../src/lib/html.ts';

/** The formats that the store shows, without tables and pictures. */
export const EXTENSIONS = [
  StarterKit.configure({
    code: false,
    codeBlock: false,
    strike: false,
    horizontalRule: false,
    dropcursor: false,
    gapcursor: false,
    trailingNode: false,
    link: { openOnClick: false, autolink: false, HTMLAttributes: { target: null, rel: null, class: null } },
  }),
];

export const SCHEMA = getSchema(EXTENSIONS);

/** The levels of headings that the store shows. */
export const LEVELS = [2, 3, 4] as const;

const { paragraph, hardBreak } = SCHEMA.nodes;

/** A text without tags as a document: an empty line begins a paragraph, as in the store. `textOf` returns the same text, its ends of lines as `\n`. */
export function documentOfText(text: string): Node {
  const paragraphs = text.split('\n\n').map((one) => {
    const parts = one.split(/\r?\n/).flatMap((line, i) => {
      const words = line === '' ? [] : [SCHEMA.text(line)];
      return i === 0 ? words : [hardBreak!.create(), ...words];
    });
    return paragraph!.create(null, parts);
  });
  return SCHEMA.topNodeType.create(null, paragraphs);
}

/** The text of a document without formatting; null where it needs HTML. */
export function textOf(doc: Node): string | null {
  let isPlain = true;
  const paragraphs = doc.children.map((block) => {
    isPlain &&= block.type.name === 'paragraph';
    return block.children.map((part) => {
      isPlain &&= part.marks.length === 0;
      return part.text ?? '\n';
    });
  });
  const text = paragraphs.map((parts) => parts.join('')).join('\n\n');
  return isPlain && !hasTags(text) ? text : null;
}

/** What is typed as the address of a link, as a shop's page can follow it; null where it cannot. */
export function linkAddress(typed: string): string | null {
  const text = typed.trim();
  if (text === '' || /\s/.test(text)) return null;
  if (/^(https?:\/\/|mailto:)./i.test(text)) return text;
  if (/^[a-z][a-z\d+.-]*:(?!\d)/i.test(text)) return null;
  if (/^[^/@]+@[^/@]+$/.test(text)) return `mailto:${text}`;
  if (text.startsWith('//')) return `https:${text}`;
  return /^[/#?]/.test(text) ? text : `https://${text}`;
}
