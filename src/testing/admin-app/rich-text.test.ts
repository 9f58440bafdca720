import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentOfText, linkAddress, SCHEMA, textOf } from '../../../admin/src/ui/rich/formats.ts';
import { hasTags } from '../../lib/html.ts';

describe('a text without tags in the editor', () => {
  test('is the same text when it is read again', () => {
    const piece = fc.constantFrom('a', ' ', '\n', '\n\n', '&amp;', '< 5', '\u00a0', '😀');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        expect(textOf(documentOfText(text))).toBe(text);
      }),
    );
  });

  test('has a paragraph after an empty line, and a new line within one', () => {
    const { content } = documentOfText('One\ntwo\n\nthree');
    expect(content.toString()).toBe('<paragraph("One", hardBreak, "two"), paragraph("three")>');
  });

  test('needs HTML once it has a format, or what would be read as a tag', () => {
    const of = (...blocks: object[]) => textOf(SCHEMA.nodeFromJSON({ type: 'doc', content: blocks }));
    const words = (text: string, ...marks: string[]) => ({
      type: 'text',
      text,
      marks: marks.map((type) => ({ type })),
    });
    const paragraph = (...content: object[]) => ({ type: 'paragraph', content });
    expect(of(paragraph(words('Tea')), paragraph())).toBe('Tea\n\n');
    expect(of(paragraph(words('Fine '), words('tea', 'bold')))).toBeNull();
    expect(of({ type: 'heading', attrs: { level: 2 }, content: [words('Tea')] })).toBeNull();
    expect(hasTags('a <b')).toBe(true);
    expect(of(paragraph(words('a <b')))).toBeNull();
  });
});

test.each([
  ['https://example.com/a', 'https://example.com/a'],
  [' example.com ', 'https://example.com'],
  ['localhost:3000/tea', 'https://localhost:3000/tea'],
  ['//example.com', 'https://example.com'],
  ['/pages/tea', '/pages/tea'],
  ['#care', '#care'],
  ['tea@example.com', 'mailto:tea@example.com'],
  ['mailto:tea@example.com', 'mailto:tea@example.com'],
  ['javascript:alert(1)', null],
  ['JavaScript:alert(1)', null],
  ['data:text/html,x', null],
  ['tel:+32', null],
  ['two words', null],
  ['', null],
])('%j as the address of a link is %j', (typed, address) => {
  expect(linkAddress(typed)).toBe(address);
});
