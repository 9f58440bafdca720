import sanitizeHtml from 'sanitize-html';

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
