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
 * A rendered mail made fit to be shown in the admin app: no scripts, handlers, forms, frames, links to styles or
 * redirects, and no addresses but http, https, mailto, tel and sms (images also data). The second wall: the first is that
 * previews are shown in a sandboxed frame under a policy of their own.
 */
export function sanitisePreview(html: string): string {
  return sanitizeHtml(html, {
    allowedTags: [
      ...sanitizeHtml.defaults.allowedTags,
      ...['html', 'head', 'body', 'title', 'style', 'img', 'center', 'font', 'del', 'ins', 'strike'],
    ],
    allowedAttributes: {
      '*': LAYOUT_ATTRIBUTES,
      a: ['href', 'target', 'name'],
      img: ['src', 'srcset', 'alt'],
      font: ['face', 'size'],
      style: ['type', 'media'],
    },
    allowedSchemes: ['http', 'https', 'mailto', 'tel', 'sms'],
    allowedSchemesByTag: { img: ['http', 'https', 'data'] },
    allowProtocolRelative: false,
    // Mails are laid out by style elements; the frame's sandbox and policy keep them to the preview.
    allowVulnerableTags: true,
    parseStyleAttributes: false,
  });
}
