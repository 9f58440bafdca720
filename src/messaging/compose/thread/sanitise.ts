import { compile } from 'html-to-text';
import sanitizeHtml from 'sanitize-html';
import { hasTags } from '../../../lib/html.ts';

const LAYOUT_ATTRIBUTES = [
  ...[
    'style',
    'class',
    'id',
    'dir',
    'lang',
    'title',
    'role',
    'align',
    'valign',
    'width',
    'height',
    'border',
    'bgcolor',
  ],
  ...['background', 'color', 'cellpadding', 'cellspacing', 'colspan', 'rowspan', 'data-preheader'],
];

/**
 * Makes a rendered mail safe to show in the admin app: no scripts, handlers, forms, frames, stylesheet links or redirects, and only http,
 * https, mailto, tel and sms addresses (for images also data). This is the second line of defence: previews are also shown in a sandboxed
 * frame under a policy of their own.
 */
export function sanitisePreview(html: string): string {
  return sanitizeHtml(html, {
    allowedTags: [
      ...sanitizeHtml.defaults.allowedTags,
      ...['html', 'head', 'body', 'title', 'meta', 'style', 'img', 'center', 'font', 'del', 'ins', 'strike'],
    ],
    allowedAttributes: {
      '*': LAYOUT_ATTRIBUTES,
      a: ['href', 'target', 'name'],
      img: ['src', 'srcset', 'alt'],
      font: ['face', 'size'],
      style: ['type', 'media'],
      meta: ['name', 'content'],
    },
    allowedSchemes: ['http', 'https', 'mailto', 'tel', 'sms'],
    allowedSchemesByTag: { img: ['http', 'https', 'data'] },
    allowProtocolRelative: false,
    // Mails need style elements for their layout; the frame's sandbox and policy confine them to the preview.
    allowVulnerableTags: true,
    parseStyleAttributes: false,
    // A mail says by them that it has colors for dark mode.
    exclusiveFilter: ({ tag, attribs }) => tag === 'meta' && !/^(supported-)?color-schemes?$/i.test(attribs.name ?? ''),
  });
}

const CELL = ['colspan', 'rowspan'];

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['p', 'div', 'br', 'strong', 'b', 'em', 'i', 'u', 'ul', 'ol', 'li', 'h2', 'h3', 'h4', 'blockquote', 'a', 'img'],
    ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ],
  allowedAttributes: { a: ['href'], img: ['src', 'alt'], th: CELL, td: CELL },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  transformTags: { h1: 'h2', h5: 'h4', h6: 'h4' },
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !/^https?:/i.test(attribs.src ?? ''),
  nestingLimit: 50,
};

/**
 * Keeps the formatting of a product's description: paragraphs, headings, lists, tables, links and pictures of the web, without scripts, styles
 * and all other attributes. A text without tags stays as it is. Sanitising the result again does not change it, unless its tags were nested
 * in a way that HTML does not know.
 */
export function sanitiseDescription(text: string): string {
  if (!hasTags(text)) return text;
  const html = sanitizeHtml(text, OPTIONS).trim();
  // Without a tag, its entities would be taken for text.
  return html === '' || /<[a-z]/i.test(html) ? html : `<p>${html}</p>`;
}

const toLine = compile({
  wordwrap: false,
  limits: { maxDepth: 60 },
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    ...['h2', 'h3', 'h4'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'ul', options: { itemPrefix: ' ' } },
    { selector: 'table', format: 'block' },
  ],
});

/** Returns the description as `sanitiseDescription` does, and its text as far as search engines show it. */
export function shownDescription(text: string): { html: string; text: string } {
  const html = sanitiseDescription(text);
  return { html, text: toLine(html.slice(0, 8_000)).slice(0, 1_000) };
}
