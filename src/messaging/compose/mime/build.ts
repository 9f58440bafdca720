import { type EmailContent, singleLine } from './email-content.ts';
import { type DkimKey, encodeMessage, type Parts } from './encode.ts';
import { escapeText, insertPreheader, textFromHtml } from './html-text.ts';

/** Encodes the parts returned by `partsOf`, like `encodeMessage`. Only for threads: converting some HTML takes long. */
export function buildMessage(content: EmailContent, dkim?: DkimKey): Promise<Buffer> {
  return encodeMessage(content, partsOf(content), dkim);
}

/** Returns both parts of an e-mail. The HTML starts with the hidden preview text; a missing text part is generated from the HTML. */
export function partsOf({ html, text, previewText }: EmailContent): Parts {
  return {
    html: html === undefined || !previewText ? html : insertPreheader(html, escapeText(singleLine(previewText))),
    text: text ?? textFromHtml(html ?? ''),
  };
}
