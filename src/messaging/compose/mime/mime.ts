import type { DkimKey } from './dkim.ts';
import type { EmailContent } from './email-content.ts';
import { encodeMessage, type Parts } from './encode-message.ts';
import { singleLine } from './headers.ts';
import { escapeText, insertPreheader, textFromHtml } from './html-text.ts';

/** As `encodeMessage`, with the parts of `partsOf`. Converting takes long for some HTML: for threads alone. */
export function buildMessage(content: EmailContent, dkim?: DkimKey): Promise<Buffer> {
  return encodeMessage(content, partsOf(content), dkim);
}

/** Both parts of an e-mail: the HTML begins with the hidden preview text, and the text is made from it where there is none. */
export function partsOf({ html, text, previewText }: EmailContent): Parts {
  return {
    html: html === undefined || !previewText ? html : insertPreheader(html, escapeText(singleLine(previewText))),
    text: text ?? textFromHtml(html ?? ''),
  };
}
