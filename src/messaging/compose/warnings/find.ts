import { pathsIn } from '../liquid/engine.ts';
import type { Finding } from './findings.ts';
import { hasFewWords, hasManyCapitals, markupFindings } from './markup.ts';
import { type KnownNames, unknownPaths } from './variables.ts';

export interface Examined {
  /** As written. */
  source: { subject: string; previewText: string; content: string };
  /** As rendered for someone; text: the readable part of an e-mail. */
  rendered: { subject: string; html: string; text: string };
  email: boolean;
  known: KnownNames;
}

const HREF_NOWHERE = /\shref\s*=\s*(["'])\s*#\s*\1/i;

/** Finds everything that the writer of a message should check. Runs in threads. */
export function findingsOf({ source, rendered, email, known }: Examined): Finding[] {
  const fields = { subject: source.subject, preview_text: source.previewText, content: source.content } as const;
  const findings: Finding[] = (['subject', 'preview_text', 'content'] as const).flatMap((field) =>
    unknownPaths(pathsIn(fields[field]), known).map(({ path, nearest }) => ({
      code: 'unknown_variable' as const,
      field,
      detail: path.slice(0, 200),
      suggestion: nearest,
    })),
  );
  const note = (code: Finding['code'], field: Finding['field'], detail: string | null = null): void => {
    findings.push({ code, field, detail, suggestion: null });
  };
  if (hasManyCapitals(rendered.subject, { letters: 10, share: 0.6 })) note('many_capitals', 'subject');
  if (!email) return findings;
  const markup = markupFindings(rendered.html);
  if (HREF_NOWHERE.test(source.content) && markup.every(({ code }) => code !== 'empty_link'))
    note('empty_link', 'content');
  for (const { code, detail } of markup) {
    if (code !== 'few_words' || hasFewWords(rendered.text)) note(code, 'content', detail);
  }
  if (hasManyCapitals(rendered.text, { letters: 100, share: 0.4 })) note('many_capitals', 'content');
  if (!/\b(unsubscribe|preferences)_url\b/.test(source.content)) note('no_unsubscribe', 'content');
  return findings;
}
